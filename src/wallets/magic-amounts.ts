/** In centimes. With a test key, a payment of this amount fails for good (SPEC 8). */
export const failingPaymentAmount = 99_901
/** In centimes. With a test key, a refund of this amount, or of a payment of this amount, fails (SPEC 8). */
export const failingRefundAmount = 99_904
