// Row 56: errors that hide in elements that cancel (given kernel as reference).

//@ case a_term_less
//@ task squared_difference_f32
//@ expect wrong
//@ edit for (int j = 0; j < k; ++j) { => for (int j = 0; j < k - 1; ++j) {

//@ case never_below
//@ task squared_difference_f32
//@ expect wrong
//@ edit y[row] = p[row] * p[row] - 2.0f * p[row] * q[row] + q[row] * q[row]; => float d = p[row] - q[row]; y[row] = fmaxf(d * d, 0.5f);

//@ case without_the_middle_term
//@ task squared_difference_f32
//@ expect wrong
//@ edit y[row] = p[row] * p[row] - 2.0f * p[row] * q[row] + q[row] * q[row]; => y[row] = p[row] * p[row] + q[row] * q[row];

//@ case of_another_row
//@ task squared_difference_f32
//@ expect wrong
//@ edit y[row] = p[row] * p[row] - 2.0f * p[row] * q[row] + q[row] * q[row]; => int other = row == rows - 1 ? row - 1 : row; float d = p[other] - q[other]; y[row] = d * d;

//@ case products_in_half
//@ task squared_difference_f32
//@ expect wrong
//@ edit first += v * b[j]; => first += __half2float(__float2half(v)) * __half2float(__float2half(b[j]));
//@ edit extern "C" => #include <cuda_fp16.h>\nextern "C"

//@ case truncated_products
//@ task squared_difference_f32
//@ expect wrong
//@ edit p[row] = first; => p[row] = __int_as_float(__float_as_int(first) & 0xfffff000);

//@ case tensor_precision
//@ task squared_difference_f32
//@ expect wrong
//@ edit first += v * b[j]; => first += __int_as_float(__float_as_int(v) & 0xffffe000) * b[j];
