/** An amount in centimes. With a test key, a payment of this amount fails, and its intent becomes FAILED (SPEC 8). */
export const failingPayment = 99_901
/**
 * An amount in centimes. With a test key, a refund fails if the refund or the refunded payment has this amount (SPEC
 * 8).
 */
export const failingRefund = 99_904
