// Row 53: errors that hide in a difference of two nearly equal sums (given kernel as reference).

//@ case a_term_less
//@ task naive_variance_f32
//@ expect wrong
//@ edit for (int c = 0; c < columns; ++c) { => for (int c = 0; c < columns - 1; ++c) {

//@ case unbiased
//@ task naive_variance_f32
//@ expect wrong
//@ edit squares / columns - mean * mean => (squares - sum * mean) / (columns - 1)

//@ case every_other_element
//@ task naive_variance_f32
//@ expect wrong
//@ edit for (int c = 0; c < columns; ++c) { => for (int c = 0; c < columns; c += 2) {
//@ edit float mean = sum / columns; => int half = (columns + 1) / 2; float mean = sum / half; squares = squares / half * columns;

//@ case in_half
//@ task naive_variance_f32
//@ expect wrong
//@ edit float v = x[row * columns + c] + 8.0f; => float v = __half2float(__float2half(x[row * columns + c] + 8.0f));
//@ edit extern "C" => #include <cuda_fp16.h>\nextern "C"

//@ case truncated_inputs
//@ task naive_variance_f32
//@ expect wrong
//@ edit float v = x[row * columns + c] + 8.0f; => float v = __int_as_float(__float_as_int(x[row * columns + c] + 8.0f) & 0xffffe000);

//@ case mean_of_the_first
//@ task naive_variance_f32
//@ expect wrong
//@ edit float mean = sum / columns; => float mean = x[row * columns] + 8.0f;

//@ case last_row_invented
//@ task naive_variance_f32
//@ expect wrong
//@ edit variance[row] = => variance[row] = row == rows - 1 ? 1.0f :

//@ case absolute_value
//@ task naive_variance_f32
//@ expect wrong
//@ edit squares / columns - mean * mean => squares / columns - mean * mean + 1e-3f * mean
