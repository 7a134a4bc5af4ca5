import type { Deps } from '../../deps.ts'
import { noHurry } from '../../mongo/batching/batcher.ts'
import { withoutReservation } from './without-reservation.ts'

/** Forgets the reservations of a try that was placed: what it took is sold. The stock stays, so the revision does. */
export async function settle(
  deps: Pick<Deps, 'batchers'>,
  tryId: string,
  taken: readonly { productId: string }[],
): Promise<void> {
  await Promise.all(
    taken.map(({ productId }) =>
      deps.batchers.updateProduct(
        withoutReservation(productId, tryId, { $pull: { reservations: { tryId } } }),
        noHurry,
      ),
    ),
  )
}
