import { groupsOf, sumOf } from '../groups.ts'
import type { Check } from '../round.ts'
import { type Change, stockChanges } from '../stock-changes.ts'

/** With more uncertain changes, any stock between the minimum and the maximum passes. */
const maxUncertain = 14

/**
 * Stock is the initial stock plus what merchants added minus what was sold. Changes with an unknown outcome may have
 * happened or not. No stock is negative.
 */
export const stockBalances: Check = function* (round) {
  const { changes, counted } = stockChanges(round)
  const byVariant = groupsOf(changes, ({ variant }) => variant)
  for (const { product, variant, quantity } of round.setting.stock) {
    const stored = round.dump.products.find(({ _id }) => _id === product)
    const stock = stored?.variants.find(({ _id }) => _id === variant)?.stock
    if (stock === undefined || counted.has(variant)) continue
    if (!isPossible(stock, quantity, byVariant.get(variant) ?? []))
      yield [`${product} ${variant}`, `has ${stock} in stock, not ${quantity} plus its changes`]
  }
  yield* round.broken('stock conserved')
}

function isPossible(stock: number, quantity: number, changes: Change[]): boolean {
  const certain = quantity + sumOf(changes, ({ amounts }) => (amounts.length === 1 ? (amounts[0] ?? 0) : 0))
  const uncertain = changes.filter(({ amounts }) => amounts.length > 1)
  if (uncertain.length > maxUncertain)
    return (
      certain + sumOf(uncertain, ({ amounts }) => Math.min(...amounts)) <= stock &&
      stock <= certain + sumOf(uncertain, ({ amounts }) => Math.max(...amounts))
    )
  const sums = uncertain.reduce(
    (reached, { amounts }) => new Set([...reached].flatMap((sum) => amounts.map((amount) => sum + amount))),
    new Set([certain]),
  )
  return sums.has(stock)
}
