import { maxMarks } from '../marks.ts'

/**
 * An intent whose document is larger than this accepts no further payments. A customer may fail to pay an intent any
 * number of times. Each failure adds an event, which stays in the document while no relay is running. MongoDB allows
 * documents of up to 16 MiB. The last transition and all refunds need 3 MiB of that. The limit of 8 MiB leaves enough
 * space for 20 000 failed payments.
 */
const maxBytes = 8 * 1024 * 1024

/** Returns whether the document has space for the events and the mark of another payment. `bytes` is its whole size. */
export const acceptsPayments = ({ bytes, freshMarks }: { bytes: number; freshMarks: number }): boolean =>
  bytes <= maxBytes && freshMarks < maxMarks.payment
