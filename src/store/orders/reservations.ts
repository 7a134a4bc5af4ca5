import type { Deps } from '../../deps.ts'
import { inBatches } from '../../in-batches.ts'
import { isDatabaseFault } from '../../mongo.ts'
import type { Product, Reservation } from '../products/product.ts'
import { giveBack, settle } from './give-back.ts'
import { release } from './release.ts'

type ReservationDeps = Pick<Deps, 'Product' | 'Order' | 'lanes' | 'now' | 'log'>
type Reserved = Pick<Product, '_id' | 'businessId' | 'sandbox' | 'reservations'>

const reservedFields = { businessId: 1, sandbox: 1, reservations: 1 } as const

/** A request waits for MongoDB for 8 s at most; what it still holds after this, it left behind when it died. */
const leftBehindMs = 15_000

/** Decides over the reservations that nobody settled, by what became of their orders. Answers in how many products there were any. */
export function sweepReservations(deps: ReservationDeps): Promise<number> {
  const old = new Date(deps.now().getTime() - leftBehindMs)
  const found = deps.Product.find({ 'reservations.at': { $lte: old } }, reservedFields).lean<Reserved[]>()
  return inBatches(found.cursor(), async (products) => {
    for (const product of products) await decideAll(deps, product, ({ at }) => at <= old)
  })
}

/** The same at once for what earlier tries of one order have taken. Answers in how many products that was. */
export async function takeBackFrom(deps: ReservationDeps, order: string): Promise<number> {
  // `$exists` lets the index be used, in which are only the few products that somebody orders at this moment.
  const found = await deps.Product.find(
    { 'reservations.at': { $exists: true }, 'reservations.order': order },
    reservedFields,
  ).lean<Reserved[]>()
  for (const product of found) await decideAll(deps, product, (each) => each.order === order)
  return found.length
}

/** What is wrong with one must not keep the others from their end; of a fault of MongoDB all hear. */
async function decideAll(
  deps: ReservationDeps,
  product: Reserved,
  isMeant: (reservation: Reservation) => boolean,
): Promise<void> {
  for (const reservation of product.reservations.filter(isMeant))
    try {
      await decide(deps, product, reservation)
    } catch (err) {
      if (isDatabaseFault(err)) throw err
      deps.log.error({ err, productId: product._id, orderId: reservation.order }, 'reservation.not-decided')
    }
}

/** Sold, if its try placed the order. Else that try is ruled out first, and then the stock gets it back. */
async function decide(
  deps: ReservationDeps,
  { _id: productId, businessId, sandbox }: Reserved,
  { order, attempt, items }: Reservation,
): Promise<void> {
  const placed = await release(deps, { order, businessId, sandbox, attempt })
  if (placed?.attempt === attempt) await settle(deps, attempt, [{ productId }])
  else await giveBack(deps, attempt, [{ productId, items }])
}
