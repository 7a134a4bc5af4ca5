import { expect } from 'chai'
import type { Call } from '../evidence/evidence.ts'
import { judge } from './check.ts'
import type { ProductDocument } from './documents.ts'
import { at, idOf } from './story/clock.ts'
import { type Ordinary, ordinary } from './story/ordinary.ts'
import { tellsOf, the } from './story/perturbations.ts'
import { call, good } from './story/story.ts'

type Rows = Record<string, [price: number, stock: number]>

/** The shop imports a file. */
function imports(round: Ordinary, seconds: number, rows: Rows, given: Partial<Call> = {}): Call {
  const lines = Object.entries(rows).map(
    ([handle, [price, stock]]) => `${handle},${handle},,,${price},${stock}`,
  )
  return call(round, seconds, {
    what: 'import',
    path: '/api/v1/dev/store/products/import-csv',
    idempotencyKey: `import-${seconds}`,
    body: ['handle,name,variant_label,sku,price,stock', ...lines].join('\n'),
    answer: good({ rows: lines.length }),
    ...given,
  })
}

/** It is there. */
function has(round: Ordinary, handle: string, price: number, stock: number): ProductDocument {
  const variants = [{ _id: idOf(`v-${handle}`), label: 'Default', price, stock }]
  const product = { ...round.product, _id: idOf(`p-${handle}`), handle, variants, createdAt: at(20) }
  round.dump.products.push(product)
  return product
}

/** One file with two products, a later one with one of them, and both there as they say. */
function imported(change: (round: Ordinary) => void = () => undefined): Ordinary {
  const round = ordinary()
  imports(round, 20, { a: [10, 5], b: [20, 6] })
  imports(round, 30, { b: [30, 7] })
  has(round, 'a', 10, 5)
  has(round, 'b', 30, 7)
  change(round)
  return round
}

const unanswered = { status: null, answer: null }
const tells = (round: Ordinary): boolean => judge(round).some(({ promise }) => promise === 'import.whole')
const sells = ({ dump }: Ordinary, handle: string): void => {
  const [order] = dump.orders
  const [variant] = the(dump.products.find((product) => product.handle === handle)).variants
  dump.orders.push({
    ...the(order),
    _id: idOf('order-2'),
    number: 'OR-YYYYYYYYYYYYYYYY',
    items: [{ ...the(order?.items[0]), variantId: the(variant)._id, quantity: 1 }],
  })
  the(variant).stock -= 1
}

const set = (round: Ordinary, handle: string, price: number, stock: number): unknown =>
  Object.assign(the(round.dump.products.find((product) => product.handle === handle)?.variants[0]), {
    price,
    stock,
  })

describe('The checker of faults, of imports,', () => {
  it('takes files for imported whose products are as they say, or as a later one does', () => {
    expect(judge(imported())).to.deep.equal([])
  })

  it('lets what came in a file be sold', () => {
    expect(tells(imported((round) => sells(round, 'a')))).to.equal(false)
  })

  it('lets two files that overlap come in any order', () => {
    const round = imported((story) => set(story, 'b', 20, 6))
    expect(tells(round)).to.equal(true)
    the(round.calls.find(({ idempotencyKey }) => idempotencyKey === 'import-30')).began = at(20.05)
    expect(tells(round)).to.equal(false)
  })

  it('lets a file that nobody answered be imported or not', () => {
    for (const isThere of [true, false]) {
      const round = imported((story) => imports(story, 40, { c: [40, 8], d: [50, 9] }, unanswered))
      if (isThere) has(round, 'c', 40, 8)
      if (isThere) has(round, 'd', 50, 9)
      expect(tells(round)).to.equal(false)
    }
  })

  it('lets products go with the clean-up', () => {
    const round = imported(
      ({ dump }) => (dump.products = dump.products.filter(({ handle }) => handle !== 'a')),
    )
    expect(tells(round)).to.equal(true)
    round.setting.settings.sandboxRetentionDays = 0
    expect(tells(round)).to.equal(false)
  })

  tellsOf([
    [
      'import.whole',
      'a product has another price',
      (round) => (imports(round, 20, { a: [1, 2] }), has(round, 'a', 3, 2)),
    ],
    [
      'import.whole',
      'a product has no stock',
      (round) => (imports(round, 20, { a: [1, 2] }), has(round, 'a', 1, 0)),
    ],
    ['import.whole', 'a product is not there', (round) => imports(round, 20, { a: [1, 2] })],
    [
      'import.whole',
      'a file that nobody answered is imported by half',
      (round) => (imports(round, 20, { a: [1, 2], b: [3, 4] }, unanswered), has(round, 'a', 1, 2)),
    ],
    ['import.whole', 'what was in no file is there', (round) => has(round, 'a', 1, 2)],
  ])
})
