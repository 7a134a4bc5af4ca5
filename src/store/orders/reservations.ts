import type { Deps } from '../../deps.ts'
import { isUnavailable } from '../../errors.ts'
import { isDatabaseFault } from '../../mongo/connect.ts'
import { inBatches } from '../../mongo/in-batches.ts'
import type { Product, Reservation } from '../products/product.ts'
import { giveBack } from './give-back.ts'
import { releaseAttempt } from './release.ts'
import { settle } from './settle.ts'

type ReservationDeps = Pick<Deps, 'Product' | 'Order' | 'batchers' | 'now' | 'log'>
type Reserved = Pick<Product, '_id' | 'businessId' | 'sandbox' | 'reservations'>

const reservedFields = { businessId: 1, sandbox: 1, reservations: 1 } as const

/**
 * The age from which a reservation counts as abandoned. A request waits at most 8 s for MongoDB, so if a reservation is
 * older than this, its process must have died.
 */
const abandonedAfterMs = 15_000
/**
 * The maximum number of reservations to resolve at the same time. This number is much lower than the size of the
 * process's connection pool, because other jobs need connections too.
 */
const maxConcurrent = 20

const sweeping = new WeakSet<ReservationDeps>()

/**
 * Resolves abandoned reservations, which means that they are settled or given back, depending on whether their orders
 * were placed. Returns the number of products that had abandoned reservations. There may be thousands of such products
 * after an outage. A process runs only one sweep at a time. If a sweep is already running, returns 0 immediately.
 */
export async function sweepReservations(deps: ReservationDeps): Promise<number> {
  if (sweeping.has(deps)) return 0
  sweeping.add(deps)
  const abandonedAt = new Date(deps.now().getTime() - abandonedAfterMs)
  const found = deps.Product.find({ 'reservations.reservedAt': { $lte: abandonedAt } }, reservedFields).lean<
    Reserved[]
  >()
  try {
    return await inBatches(found.cursor(), (products) =>
      resolveAll(deps, products, ({ reservedAt }) => reservedAt <= abandonedAt),
    )
  } finally {
    sweeping.delete(deps)
  }
}

/**
 * Immediately resolves the reservations of all attempts at one order. Returns the number of products that had such
 * reservations.
 */
export async function resolveReservationsOf(deps: ReservationDeps, orderId: string): Promise<number> {
  const found = await deps.Product.find({ 'reservations.orderId': orderId }, reservedFields).lean<Reserved[]>()
  await resolveAll(deps, found, (reservation) => reservation.orderId === orderId)
  return found.length
}

async function resolveAll(
  deps: ReservationDeps,
  products: readonly Reserved[],
  isIncluded: (reservation: Reservation) => boolean,
): Promise<void> {
  const pending = products.flatMap((product) =>
    product.reservations.filter(isIncluded).map((reservation) => ({ product, reservation })),
  )
  while (pending.length > 0)
    await Promise.all(
      pending
        .splice(0, maxConcurrent)
        .map(({ product, reservation }) => resolveReservation(deps, product, reservation)),
    )
}

/**
 * Resolves one reservation. If an error concerns only this reservation, logs the error, so that the other reservations
 * are still resolved. Throws if MongoDB fails or times out.
 */
async function resolveReservation(deps: ReservationDeps, product: Reserved, reservation: Reservation): Promise<void> {
  try {
    await settleOrGiveBack(deps, product, reservation)
  } catch (err) {
    if (isDatabaseFault(err) || isUnavailable(err)) throw err
    deps.log.error({ err, productId: product._id, orderId: reservation.orderId }, 'reservation.not-settled')
  }
}

/**
 * If the reservation's attempt has placed the order, settles the reservation. Otherwise, first makes sure that the
 * attempt can no longer place the order, and then returns the units to stock.
 */
async function settleOrGiveBack(
  deps: ReservationDeps,
  { _id: productId, businessId, sandbox }: Reserved,
  { orderId, attemptId, items }: Reservation,
): Promise<void> {
  const placed = await releaseAttempt(deps, { orderId, businessId, sandbox, attemptId })
  if (placed?.attemptId === attemptId) await settle(deps, attemptId, [{ productId }])
  else await giveBack(deps, attemptId, [{ productId, items }])
}
