/**
 * An intent may fail to be paid any number of times, and each time is an event. While no relay takes these out of the outbox, a larger
 * intent takes no further payment: MongoDB allows 16 MiB, and its end and all of its refunds need 3 MiB. That is 20 000 failed payments.
 */
const mostBytes = 8 * 1024 * 1024

/** Whether there is room for the events of another payment. `bytes`: of the whole stored intent. */
export const takesPayments = ({ bytes }: { bytes: number }): boolean => bytes <= mostBytes
