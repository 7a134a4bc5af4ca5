import type { Deps } from '../../deps.ts'
import { bookEvents } from '../../ledger/book.ts'
import type { OutboxEvent } from '../../outbox/event.ts'
import { inTime } from '../../process/timeout.ts'
import type { Intent } from '../intent.ts'

/** The maximum time that a response waits for the ledger. */
const bookingMs = 1_000

/**
 * Books a refund in the ledger before the relay does, so that the merchant sees it there as soon as the response
 * arrives. Never throws, and waits for at most a second, because the relay books every event that is in the outbox.
 */
export async function bookSoon(deps: Deps, intent: Intent, refunded: OutboxEvent): Promise<void> {
  const deadlineAt = performance.now() + bookingMs
  const book = async (): Promise<void> => {
    const paid = await unrelayedPayment(deps, intent)
    await bookEvents(deps, intent, [...paid, refunded], deadlineAt)
  }
  await inTime(book(), bookingMs)
}

/** Returns the event of the payment if it is not relayed yet. The ledger must contain a payment before its refund. */
async function unrelayedPayment({ Intent: model }: Pick<Deps, 'Intent'>, { _id }: Intent): Promise<OutboxEvent[]> {
  const found = await model
    .findOne({ _id }, { outbox: { $elemMatch: { event: 'payment.confirmed' } } })
    .lean<Pick<Intent, 'outbox'> | null>()
  return found?.outbox ?? []
}
