/**
 * A customer may fail to pay an intent any number of times, and each failure adds an event. If no relay is emptying the
 * outbox, an intent over this size does not accept any more payments. MongoDB allows 16 MiB, and the last transition
 * and all refunds need 3 MiB. The limit leaves space for 20 000 failed payments.
 */
const maxBytes = 8 * 1024 * 1024

/** Whether the intent can store the events of another payment. `bytes` is the size of the whole stored intent. */
export const acceptsPayments = ({ bytes }: { bytes: number }): boolean => bytes <= maxBytes
