// Rewrites of a difference of two nearly equal sums in single precision.

//@ case backwards
//@ task naive_variance_f32
//@ expect accepted
//@ edit for (int c = 0; c < columns; ++c) { => for (int c = columns - 1; c >= 0; --c) {

//@ case fused_squares
//@ task naive_variance_f32
//@ expect accepted
//@ edit squares += v * v; => squares = fmaf(v, v, squares);

//@ case times_the_inverse
//@ task naive_variance_f32
//@ expect accepted
//@ edit sum / columns => sum * (1.0f / columns)

//@ case sum_of_squares_less
//@ task naive_variance_f32
//@ expect accepted
//@ edit squares / columns - mean * mean => (squares - sum * mean) / columns

//@ case without_the_shift
//@ task naive_variance_f32
//@ expect accepted
//@ edit float v = x[row * columns + c] + 8.0f; => float v = x[row * columns + c];

//@ case in_double
//@ task naive_variance_f32
//@ expect accepted
//@ edit float sum = 0.0f; => double sum = 0.0;
//@ edit float squares = 0.0f; => double squares = 0.0;
//@ edit float v = x[row * columns + c] + 8.0f; => double v = x[row * columns + c] + 8.0f;
//@ edit float mean => double mean

//@ case two_sums
//@ task naive_variance_f32
//@ expect accepted
//@ edit float sum = 0.0f; => float sum = 0.0f, sum1 = 0.0f, squares1 = 0.0f;
//@ edit sum += v; => if (c & 1) { sum1 += v; squares1 += v * v; continue; } sum += v;
//@ edit float mean = sum / columns; => squares += squares1; float mean = (sum + sum1) / columns;

//@ case two_passes
//@ task naive_variance_f32
//@ expect accepted
//@ edit squares += v * v; => 
//@ edit variance[row] = squares / columns - mean * mean; => for (int c = 0; c < columns; ++c) { float d = x[row * columns + c] + 8.0f - mean; squares += d * d; } variance[row] = squares / columns;

//@ case welford
//@ task naive_variance_f32
//@ expect accepted
//@ edit sum += v; => float d = v - sum; sum += d / (c + 1);
//@ edit squares += v * v; => squares += d * (v - sum);
//@ edit squares / columns - mean * mean => squares / columns + 0.0f * mean

//@ case shifted_by_eight
//@ task naive_variance_f32
//@ expect accepted
//@ edit float v = x[row * columns + c] + 8.0f; => float v = x[row * columns + c] + 8.0f - 8.0f;
