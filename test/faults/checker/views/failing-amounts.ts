/** With test keys payments of the one amount fail, and refunds of the other, and of payments of it (SPEC 8). */
export const failingPayment = 99_901
export const failingRefund = 99_904
