/** Centimes. With a test key, a payment of this amount fails, and the intent becomes FAILED (SPEC 8). */
export const failingPayment = 99_901
/** Centimes. With a test key, a refund fails if it or its payment has this amount (SPEC 8). */
export const failingRefund = 99_904
