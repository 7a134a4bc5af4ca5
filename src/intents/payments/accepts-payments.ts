/**
 * An intent over this size accepts no further payments. A customer may fail to pay an intent any number of times, and
 * each failure adds an event, which stays in the intent if no relay is running. MongoDB allows 16 MiB, of which the
 * last transition and all refunds need 3 MiB. This limit leaves space for 20 000 failed payments.
 */
const maxBytes = 8 * 1024 * 1024

/**
 * Returns whether the intent has space for the events of another payment. `bytes` is the size of the whole stored
 * intent.
 */
export const acceptsPayments = ({ bytes }: { bytes: number }): boolean => bytes <= maxBytes
