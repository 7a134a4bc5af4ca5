import type { Deps } from '../../deps.ts'
import { isUnavailable } from '../../errors.ts'
import { isDatabaseFault } from '../../mongo/connect.ts'
import { inBatches } from '../../mongo/in-batches.ts'
import type { Product, Reservation } from '../products/product.ts'
import { giveBack } from './give-back.ts'
import { release } from './release.ts'
import { settle } from './settle.ts'

type ReservationDeps = Pick<Deps, 'Product' | 'Order' | 'batchers' | 'now' | 'log'>
type Reserved = Pick<Product, '_id' | 'businessId' | 'sandbox' | 'reservations'>

const reservedFields = { businessId: 1, sandbox: 1, reservations: 1 } as const

/** A request waits for MongoDB for 8 s at most; what it still holds after this, it left behind when it died. */
const leftBehindMs = 15_000
/** Decided at once: well below the connections that the process has, which its other jobs need too. */
const together = 20

const hold = new WeakSet<ReservationDeps>()

/**
 * Decides over the reservations that nobody settled, by what became of their orders. Answers in how many products there were any. After an
 * outage they may be thousands: one look at a time in a process, and who comes meanwhile leaves it to that one and goes on (0).
 */
export async function sweepReservations(deps: ReservationDeps): Promise<number> {
  if (hold.has(deps)) return 0
  hold.add(deps)
  const old = new Date(deps.now().getTime() - leftBehindMs)
  const found = deps.Product.find({ 'reservations.at': { $lte: old } }, reservedFields).lean<Reserved[]>()
  try {
    return await inBatches(found.cursor(), (products) => decideAll(deps, products, ({ at }) => at <= old))
  } finally {
    hold.delete(deps)
  }
}

/** The same at once for what earlier tries of one order have taken. Answers in how many products that was. */
export async function takeBackFrom(deps: ReservationDeps, order: string): Promise<number> {
  const found = await deps.Product.find({ 'reservations.order': order }, reservedFields).lean<Reserved[]>()
  await decideAll(deps, found, (each) => each.order === order)
  return found.length
}

async function decideAll(
  deps: ReservationDeps,
  products: readonly Reserved[],
  isMeant: (reservation: Reservation) => boolean,
): Promise<void> {
  const meant = products.flatMap((product) =>
    product.reservations.filter(isMeant).map((reservation) => ({ product, reservation })),
  )
  while (meant.length > 0)
    await Promise.all(
      meant.splice(0, together).map(({ product, reservation }) => decide(deps, product, reservation)),
    )
}

/** What is wrong with one must not keep the others from their end; of a fault of MongoDB, or that it did not answer in time, all hear. */
async function decide(deps: ReservationDeps, product: Reserved, reservation: Reservation): Promise<void> {
  try {
    await settleOrGiveBack(deps, product, reservation)
  } catch (err) {
    if (isDatabaseFault(err) || isUnavailable(err)) throw err
    deps.log.error({ err, productId: product._id, orderId: reservation.order }, 'reservation.not-settled')
  }
}

/** Sold, if its try placed the order. Else that try is ruled out first, and then the stock gets it back. */
async function settleOrGiveBack(
  deps: ReservationDeps,
  { _id: productId, businessId, sandbox }: Reserved,
  { order, tryId, items }: Reservation,
): Promise<void> {
  const placed = await release(deps, { order, businessId, sandbox, tryId })
  if (placed?.tryId === tryId) await settle(deps, tryId, [{ productId }])
  else await giveBack(deps, tryId, [{ productId, items }])
}
