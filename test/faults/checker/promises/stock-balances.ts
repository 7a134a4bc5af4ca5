import type { Broken, Judge, Round } from '../round.ts'
import { dataOf } from '../views/answers.ts'
import { groupsOf } from '../views/groups.ts'
import { isDone } from '../views/requests.ts'
import { type Change, changesOf } from '../views/stock-changes.ts'

/** Of so many uncertain changes every sum is tried; of more, what lies between the least and the most is let pass. */
const mostUncertain = 14

/**
 * What is in stock is what there was, and was brought, less what was sold; a count makes a new beginning, to which comes what was held then and is
 * given back. Where nobody knows whether a change happened, or which of two came first, each of the two is right, and nothing else.
 */
export const stockBalances: Judge = function* (round) {
  const changes = groupsOf(changesOf(round), ({ variant }) => variant)
  const moved = movedOtherwise(round)
  for (const { product, variant, quantity } of beginningsOf(round)) {
    const stored = round.dump.products.find(({ _id }) => _id === product)
    const stock = stored?.variants.find(({ _id }) => _id === variant)?.stock
    if (stored === undefined || stock === undefined || moved.has(product)) continue
    const possible = possibleStocks(quantity, changes.get(variant) ?? [])
    if (!possible(stock))
      yield { of: `${product} ${variant}`, says: `has ${stock} in stock, and should have ${possible.words}` }
  }
  yield* sound(round)
}

/** No stock is below 0, and no order holds anything when all is quiet. */
function* sound({ dump }: Round): Generator<Broken> {
  for (const { _id: of, variants, reservations } of dump.products) {
    for (const { _id, stock } of variants)
      if (stock < 0) yield { of, says: `has ${stock} of ${_id} in stock` }
    if (reservations.length > 0)
      yield { of, says: `has ${reservations.length} units held by orders, and all was quiet` }
  }
}

interface Beginning {
  product: string
  variant: string
  quantity: number
}

/** What there was before the traffic, and what products began with that it made. */
function beginningsOf({ setting, requests }: Round): Beginning[] {
  const made = requests
    .filter((request) => request.what === 'product.create' && isDone(request))
    .flatMap(({ settled }) => {
      const product = dataOf<{ _id: string; variants: { _id: string; stock: number }[] }>(settled as never)
      return (product?.variants ?? []).map(({ _id, stock }) => ({
        product: product?._id ?? '',
        variant: _id,
        quantity: stock,
      }))
    })
  const known = new Set(setting.stock.map(({ variant }) => variant))
  return [...setting.stock, ...made.filter(({ variant }) => !known.has(variant))]
}

/** Products whose stock somebody set by a change of the product; an import names products of its own. */
function movedOtherwise({ requests }: Round): Set<string> {
  const updates = requests.filter(({ what }) => what === 'product.update')
  const setting = updates.filter(({ tries }) => tries.some(({ body }) => setsStock(body)))
  return new Set(setting.map(({ path }) => /\/products\/([0-9a-f]{24})/.exec(path)?.[1] ?? ''))
}

const setsStock = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && ('stock' in body || 'variants' in body)

/** Says of a stock whether it may be what a beginning and these changes left; `words` for people. */
function possibleStocks(
  quantity: number,
  changes: Change[],
): ((stock: number) => boolean) & { words: string } {
  const start: Change = { variant: '', from: 0, to: 0, kind: 'set', amounts: [quantity], isSure: true }
  const counts = [start, ...changes.filter(({ kind }) => kind === 'set')]
  const others = changes.filter(({ kind }) => kind !== 'set')
  const last = counts.filter((one) => !counts.some((other) => other.isSure && other.from > one.to))
  const reached = last.map((count) => reachedFrom(count, others))
  const words = reached.map(({ words: some }) => some).join(' or ')
  return Object.assign((stock: number) => reached.some(({ has }) => has(stock)), { words })
}

function reachedFrom(count: Change, others: Change[]): { has(stock: number): boolean; words: string } {
  // What was held only after the count is in it.
  const after = others.filter(
    ({ kind, from, to }) => to >= count.from && (kind === 'delta' || from <= count.to),
  )
  const isCertain = ({ from, isSure, amounts }: Change) => isSure && amounts.length === 1 && from > count.to
  const certain = after.filter(isCertain).reduce((sum, { amounts: [amount = 0] }) => sum + amount, 0)
  const uncertain = after.filter((change) => !isCertain(change)).map((change) => choicesOf(change, count))
  const bases = count.amounts.map((amount) => amount + certain)
  if (uncertain.length > mostUncertain) {
    const least = Math.min(...bases) + uncertain.reduce((sum, choices) => sum + Math.min(...choices), 0)
    const most = Math.max(...bases) + uncertain.reduce((sum, choices) => sum + Math.max(...choices), 0)
    return { has: (stock) => least <= stock && stock <= most, words: `${least} to ${most}` }
  }
  const sums = uncertain.reduce(
    (reached, choices) => new Set([...reached].flatMap((sum) => choices.map((choice) => sum + choice))),
    new Set(bases),
  )
  return { has: (stock) => sums.has(stock), words: [...sums].slice(0, 8).join(' or ') }
}

/** What it may add after that count: nothing, if it may not have happened or may have come before. */
const choicesOf = ({ from, amounts, isSure }: Change, count: Change): number[] =>
  isSure && from > count.to ? amounts : [0, ...amounts]
