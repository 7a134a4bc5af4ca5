import { killAtEveryStep, landDuringRetry, withShortLocks } from '../support/kill-at-every-step.ts'
import { withService } from '../support/service.ts'
import { createProduct, type ProductResponse } from '../support/store.ts'
import { openVictim } from '../support/victim.ts'
import { send, sendAgain, type Write, writeOnce } from '../support/write-once.ts'

type Case = Write & { products: ProductResponse[] }

describe('An order whose process is killed or frozen while it is placed', function () {
  this.timeout(120_000)
  const service = withService()

  const prepareOf = (stocks: number[]) => async (): Promise<Case> => {
    const merchant = await service.merchant()
    const products = await Promise.all(stocks.map((stock) => createProduct(service, merchant, { stock })))
    const items = products.map(({ _id }) => ({ productId: _id, quantity: 1 }))
    return { merchant, products, path: '/store/orders/simulate', body: items.length === 0 ? {} : { items } }
  }

  const ordersOf = ({ merchant: { businessId } }: Case) => service.deps.Order.find({ businessId }).lean()
  const stocksOf = async ({ merchant: { businessId } }: Case) =>
    (await service.deps.Product.find({ businessId }).sort({ createdAt: 1, _id: 1 }).lean()).map(
      ({ variants }) => variants[0]?.stock,
    )

  const checkOrder = async (each: Case, _data: unknown, label: string) => {
    expect(await ordersOf(each), label).to.have.length(1)
    const stocks =
      each.products.length === 0 ? [99_999] : each.products.map(({ variants: [{ stock }] }) => stock - 1)
    expect(await stocksOf(each), label).to.have.members(stocks)
  }
  const orderingOf = (stocks: number[]) => writeOnce(service, 201, prepareOf(stocks), checkOrder)
  const ordering = orderingOf([1, 10])

  const commit = 7

  it("is placed once by a retry, even if the dead process's commit arrives in the meantime", async () => {
    expect(await killAtEveryStep(service, ordering)).to.have.length(commit + 1)
    await landDuringRetry(service, ordering, commit)
  })

  it('is placed once, with one sample product, if the sandbox had no product', async () => {
    const stepsOfSample = await killAtEveryStep(service, orderingOf([]))
    expect(stepsOfSample.filter((name) => name === 'mongodb insert')).to.have.length(2)
  })

  it('is placed completely or takes nothing if it is not retried', async () => {
    const seen = new Set<number>()
    await killAtEveryStep(service, {
      ...ordering,
      repeat: async () => undefined,
      async check(each, label) {
        const { length } = await ordersOf(each)
        seen.add(length)
        expect(await stocksOf(each), label).to.have.members(length === 0 ? [1, 10] : [0, 9])
      },
    })
    expect([...seen]).to.have.members([0, 1])
  })

  it('takes nothing if the process is frozen before its commit and its retry is refused', () =>
    withShortLocks(service, async () => {
      const each = await ordering.prepare()
      const frozen = await openVictim(service, { step: commit, fate: 'paused', lateMs: 0 })
      const sent = send(frozen, each)
      await frozen.died
      expect(await ordersOf(each)).to.deep.equal([])
      expect(await stocksOf(each)).to.have.members([1, 10])
      // MongoDB has ended the frozen process's transaction before this change is made.
      const [{ _id }] = each.products as [ProductResponse]
      const off = { merchant: each.merchant, path: `/store/products/${_id}`, body: { active: false } }
      expect(await sendAgain(service, { ...off, method: 'PUT', responses: [] })).to.equal(200)
      expect(await sendAgain(service, each)).to.equal(400)
      await frozen.release()
      // Its request may have taken too long by now.
      expect((await sent).status).to.be.oneOf([400, 503])
      expect(new Set(each.responses)).to.have.property('size', 1)
      await frozen.close()
      expect(await ordersOf(each)).to.deep.equal([])
      expect(await stocksOf(each)).to.have.members([1, 10])
    }))
})
