// Rewrites of a difference that cancels in some elements only.

//@ case difference_squared
//@ task squared_difference_f32
//@ expect accepted
//@ edit y[row] = p[row] * p[row] - 2.0f * p[row] * q[row] + q[row] * q[row]; => float d = p[row] - q[row]; y[row] = d * d;

//@ case backwards
//@ task squared_difference_f32
//@ expect accepted
//@ edit for (int j = 0; j < k; ++j) { => for (int j = k - 1; j >= 0; --j) {

//@ case fused_multiply_add
//@ task squared_difference_f32
//@ expect accepted
//@ edit first += v * b[j]; => first = fmaf(v, b[j], first);
//@ edit second += v * c[j]; => second = fmaf(v, c[j], second);

//@ case other_order_of_terms
//@ task squared_difference_f32
//@ expect accepted
//@ edit y[row] = p[row] * p[row] - 2.0f * p[row] * q[row] + q[row] * q[row]; => y[row] = p[row] * p[row] + q[row] * q[row] - 2.0f * p[row] * q[row];

//@ case twice_times
//@ task squared_difference_f32
//@ expect accepted
//@ edit y[row] = p[row] * p[row] - 2.0f * p[row] * q[row] + q[row] * q[row]; => y[row] = p[row] * (p[row] - 2.0f * q[row]) + q[row] * q[row];

//@ case differences_first
//@ task squared_difference_f32
//@ expect accepted
//@ edit second += v * c[j]; => 
//@ edit first += v * b[j]; => first += v * (b[j] - c[j]);

//@ case in_double
//@ task squared_difference_f32
//@ expect accepted
//@ edit float first = 0.0f; => double first = 0.0;
//@ edit float second = 0.0f; => double second = 0.0;
//@ edit float v = => double v =

//@ case two_sums
//@ task squared_difference_f32
//@ expect accepted
//@ edit first += v * b[j]; => if (j & 1) odd += v * b[j]; else first += v * b[j];
//@ edit float first = 0.0f; => float first = 0.0f, odd = 0.0f;
//@ edit p[row] = first; => p[row] = first + odd;

//@ case twice_the_middle_term
//@ task squared_difference_f32
//@ expect accepted
//@ edit y[row] = p[row] * p[row] - 2.0f * p[row] * q[row] + q[row] * q[row]; => float m = p[row] * q[row]; y[row] = p[row] * p[row] - (m + m) + q[row] * q[row];

//@ case in_blocks_of_eight
//@ task squared_difference_f32
//@ expect accepted
//@ edit first += v * b[j]; => part += v * b[j]; if (j % 8 == 7) { first += part; part = 0.0f; }
//@ edit float first = 0.0f; => float first = 0.0f, part = 0.0f;
//@ edit p[row] = first; => p[row] = first + part;
