/** In centimes. With a test key, a payment of this amount fails, and the intent becomes FAILED (SPEC 8). */
export const failingPayment = 99_901
/** In centimes. With a test key, a refund fails if either the refund or its payment has this amount (SPEC 8). */
export const failingRefund = 99_904
