/** With a test key, a payment of so many centimes fails, and the intent with it (SPEC 8). */
export const failingPayment = 99_901
/** With a test key, a refund fails that is of so many centimes, or of a payment of so many (SPEC 8). */
export const failingRefund = 99_904
