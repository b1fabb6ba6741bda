// Row 51: errors that hide where rounding is amplified (given kernel as reference).

//@ case a_term_less
//@ task centred_f16
//@ expect wrong
//@ edit for (int j = 0; j < k; ++j) { => for (int j = 0; j < k - 1; ++j) {

//@ case first_term_twice
//@ task centred_f16
//@ expect wrong
//@ edit for (int j = 0; j < k; ++j) { => for (int jj = -1; jj < k; ++jj) { int j = jj < 0 ? 0 : jj;

//@ case mean_of_all_but_one
//@ task centred_f16
//@ expect wrong
//@ edit for (int c = 0; c < columns; ++c) sum += => for (int c = 1; c < columns; ++c) sum +=

//@ case mean_of_half_the_row
//@ task centred_f16
//@ expect wrong
//@ edit for (int c = 0; c < columns; ++c) sum += => for (int c = 0; c < columns / 2; ++c) sum +=
//@ edit mean[row] = sum / columns => mean[row] = sum / (columns / 2)

//@ case mean_of_the_first_row
//@ task centred_f16
//@ expect wrong
//@ edit mean[i / columns] => mean[0]

//@ case another_gain
//@ task centred_f16
//@ expect wrong
//@ edit * 64.0f => * 66.0f

//@ case last_column_as_its_neighbour
//@ task centred_f16
//@ expect wrong
//@ edit (__half2float(h[i]) - => (__half2float(h[i % columns == columns - 1 ? i - 1 : i]) -

//@ case eight_bit_weights
//@ task centred_f16
//@ expect wrong
//@ edit sum += __half2float(a[row * k + j]) * __half2float(w[j * columns + column]); => sum += __half2float(a[row * k + j]) * (rintf(__half2float(w[j * columns + column]) * 16.0f) / 16.0f);

//@ case coarse_intermediate
//@ task centred_f16
//@ expect wrong
//@ edit 1.0f + sum * 0.015625f => rintf((1.0f + sum * 0.015625f) * 64.0f) / 64.0f

//@ case no_mean
//@ task centred_f16
//@ expect wrong
//@ edit - mean[i / columns] => - 1.0f
