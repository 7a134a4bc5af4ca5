import { expect } from 'chai'
import { newId } from '../../src/security/ids.ts'
import { sweepImports } from '../../src/store/imports/plan/sweep.ts'
import type { Product } from '../../src/store/products/product.ts'
import { csvOf, importAs, plansOf, storedProducts, variantLines } from '../support/imports.ts'
import { killAtEveryStep, landDuringRetry, type Operation } from '../support/kill-at-every-step.ts'
import { type Merchant, withService } from '../support/service.ts'

interface Case {
  merchant: Merchant
  effectId: string
  responses: unknown[]
}

const existing = csvOf('handle,name,sku,price,stock', 'mug,Mug,M-1,500,5')
/** Creates two products, and changes the price and the SKU of an existing one. */
const file = csvOf('handle,name,sku,price', 'mug,,M-2,600', 'cup,Cup,C-1,700', 'jar,Jar,J-1,800')
const counts = { created: 2, updated: 1, unchanged: 0, variants: 3, rows: 3 }
const untouched = ['mug|Mug|Default|M-1|500|5']
const imported = ['cup|Cup|Default|C-1|700|0', 'jar|Jar|Default|J-1|800|0', 'mug|Mug|Default|M-2|600|5']

describe('An import whose process is killed between any two steps', function () {
  this.timeout(60_000)
  const service = withService()

  async function prepare(): Promise<Case> {
    const merchant = await service.merchant()
    await importAs(service.deps, merchant, existing, newId())
    return { merchant, effectId: newId(), responses: [] }
  }

  const importing = (again: (each: Case) => Promise<unknown>): Omit<Operation<Case>, 'check'> => ({
    prepare,
    async run({ deps }, { merchant, effectId, responses }) {
      // Concurrent cases advance the clock and sweep. They must not end this lease.
      deps.now = () => new Date(service.clock.now().getTime() + 3_600_000)
      responses.push(await importAs(deps, merchant, file, effectId))
    },
    repeat: again,
  })

  /** Expects no traces of an import. */
  function expectNoTrace(products: Product[], label: string) {
    for (const { handle, listed, prepared, skus, variants } of products) {
      expect([listed, prepared], `${label}: ${handle}`).to.deep.equal([true, null])
      expect(skus, `${label}: ${handle}`).to.deep.equal(variants.map(({ sku }) => sku))
    }
  }

  const retrying: Operation<Case> = {
    ...importing(async ({ merchant, effectId, responses }) =>
      responses.push(await importAs(service.deps, merchant, file, effectId)),
    ),
    async check({ merchant, responses }, label) {
      await sweepImports(service.deps)
      for (const response of responses) expect(response, label).to.deep.equal(counts)
      const products = await storedProducts(service, merchant)
      expect(products.flatMap(variantLines), label).to.deep.equal(imported)
      expectNoTrace(products, label)
      const plans = (await plansOf(service, merchant)).map(({ state, open }) => ({ state, open }))
      const done = { state: 'done', open: undefined }
      expect(plans, label).to.deep.equal([done, done])
    },
  }

  it("happens only once if the request is retried, and the retry returns the import's counts", async () => {
    const steps = await killAtEveryStep(service, retrying, 0)
    expect(steps).to.deep.equal([
      // The shop, the plan, late preparations of others, handles, SKUs.
      'mongodb find',
      'mongodb insert',
      'mongodb find',
      'mongodb find',
      'mongodb find',
      // New products, the prepared product, the commit.
      'mongodb insert',
      'mongodb update',
      'mongodb update',
      // The changed product, the listed products, the end of the plan.
      'mongodb update',
      'mongodb update',
      'mongodb update',
    ])
    await Promise.all([6, 7].map((effect) => landDuringRetry(service, retrying, effect)))
  })

  it('is either complete or fully undone after the next sweep if the request is not retried', async () => {
    const seen = new Set<number>()
    const sweeping: Operation<Case> = {
      ...importing(async ({ effectId }) => {
        await service.deps.ImportPlan.updateOne({ _id: effectId, open: true }, { leaseEndsAt: new Date(0) })
        await sweepImports(service.deps)
      }),
      async check({ merchant }, label) {
        const products = await storedProducts(service, merchant)
        seen.add(products.length)
        const expected = products.length === 3 ? imported : untouched
        expect(products.flatMap(variantLines), label).to.deep.equal(expected)
        expectNoTrace(products, label)
        const open = (await plansOf(service, merchant)).filter((plan) => plan.open)
        expect(open, label).to.deep.equal([])
      },
    }
    await killAtEveryStep(service, sweeping, 0)
    expect([...seen]).to.have.members([1, 3])
  })
})
