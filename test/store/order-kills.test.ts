import type { Operation } from '../support/kill-at-every-step.ts'
import { killAtEveryStep, landDuringRetry, withShortLocks } from '../support/kill-at-every-step.ts'
import { type Merchant, withService } from '../support/service.ts'
import { createProduct, type ProductResponse, repeated, sendStore } from '../support/store.ts'
import { openVictim } from '../support/victim.ts'

type Case = { merchant: Merchant; products: ProductResponse[]; responses: string[] }

describe('An order whose process is killed or frozen while it is placed', function () {
  this.timeout(120_000)
  const service = withService()

  const prepareOf = (stocks: number[]) => async (): Promise<Case> => {
    const merchant = await service.merchant()
    const products = await Promise.all(stocks.map((stock) => createProduct(service, merchant, { stock })))
    return { merchant, products, responses: [] }
  }
  const prepare = prepareOf([1, 10])

  async function send({ origin }: { origin: string }, { merchant, products, responses }: Case) {
    const items = products.map(({ _id }) => ({ productId: _id, quantity: 1 }))
    const body = products.length === 0 ? {} : { items }
    const response = await sendStore(origin, merchant, 'POST', '/orders/simulate', body)
    if (response.isDone) responses.push(response.text)
    return response
  }

  const ordersOf = ({ merchant: { businessId } }: Case) => service.deps.Order.find({ businessId }).lean()
  const stocksOf = async ({ merchant: { businessId } }: Case) =>
    (await service.deps.Product.find({ businessId }).sort({ createdAt: 1, _id: 1 }).lean()).map(
      ({ variants }) => variants[0]?.stock,
    )

  const ordering: Operation<Case> = {
    prepare,
    run: send,
    async repeat(each) {
      expect((await repeated(() => send(service, each))).status, each.responses.at(-1)).to.equal(201)
    },
    async check(each, label) {
      expect(await ordersOf(each), label).to.have.length(1)
      const stocks =
        each.products.length === 0 ? [99_999] : each.products.map(({ variants: [{ stock }] }) => stock - 1)
      expect(await stocksOf(each), label).to.have.members(stocks)
      expect(new Set(each.responses), label).to.have.property('size', 1)
    },
  }

  const commit = 7

  it("is placed once by a retry, even if the dead process's commit arrives in the meantime", async () => {
    expect(await killAtEveryStep(service, ordering, 0)).to.have.length(commit + 1)
    await landDuringRetry(service, ordering, commit)
  })

  it('is placed once, with one sample product, if the sandbox had no product', async () => {
    const stepsOfSample = await killAtEveryStep(service, { ...ordering, prepare: prepareOf([]) }, 0)
    expect(stepsOfSample.filter((name) => name === 'mongodb insert')).to.have.length(2)
  })

  it('is placed completely or takes nothing if it is not retried', async () => {
    const seen = new Set<number>()
    await killAtEveryStep(
      service,
      {
        ...ordering,
        repeat: async () => undefined,
        async check(each, label) {
          const { length } = await ordersOf(each)
          seen.add(length)
          expect(await stocksOf(each), label).to.have.members(length === 0 ? [1, 10] : [0, 9])
        },
      },
      0,
    )
    expect([...seen]).to.have.members([0, 1])
  })

  it('takes nothing if the process is frozen before its commit and its retry is refused', () =>
    withShortLocks(service, async () => {
      const each = await prepare()
      const frozen = await openVictim(service, { step: commit, fate: 'paused', lateMs: 0 })
      const sent = send(frozen, each)
      await frozen.died
      expect(await ordersOf(each)).to.deep.equal([])
      expect(await stocksOf(each)).to.have.members([1, 10])
      // MongoDB has ended the frozen process's transaction before this change is made.
      const [{ _id }] = each.products as [ProductResponse]
      const off = () =>
        sendStore(service.origin, each.merchant, 'PUT', `/products/${_id}`, { active: false }, 'off')
      expect((await repeated(off)).status).to.equal(200)
      expect((await repeated(() => send(service, each))).status).to.equal(400)
      await frozen.release()
      // Its request may have taken too long by now.
      expect((await sent).status).to.be.oneOf([400, 503])
      expect(new Set(each.responses)).to.have.property('size', 1)
      await frozen.close()
      expect(await ordersOf(each)).to.deep.equal([])
      expect(await stocksOf(each)).to.have.members([1, 10])
    }))
})
