/**
 * A customer may fail to pay an intent any number of times, and each time adds an event. While no relay empties the
 * outbox, an intent over this size accepts no further payment. MongoDB allows 16 MiB, and the last transition and all
 * refunds need 3 MiB. The limit leaves space for 20 000 failed payments.
 */
const maxBytes = 8 * 1024 * 1024

/** Whether the intent can store the events of another payment. `bytes`: the size of the whole stored intent. */
export const acceptsPayments = ({ bytes }: { bytes: number }): boolean => bytes <= maxBytes
