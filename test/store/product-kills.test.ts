import type { Product } from '../../src/store/products/product.ts'
import { killAtEveryStep, landDuringRetry, type Operation } from '../support/kill-at-every-step.ts'
import { type Merchant, withService } from '../support/service.ts'
import { createProduct, repeated, sendStore } from '../support/store.ts'

interface Case {
  merchant: Merchant
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body: object
  responses: string[]
}

describe('If a process is killed between any two steps of a product request, the service', function () {
  this.timeout(120_000)
  const service = withService()

  const send = (origin: string, { merchant, method, path, body }: Case) =>
    sendStore(origin, merchant, method, `/products${path}`, body)

  /** A request that must take effect once, with one response. `check` gets the only product. */
  const request = (
    status: number,
    prepare: () => Promise<Omit<Case, 'responses'>>,
    check: (product: Product, data: Record<string, unknown>, label: string) => void,
  ): Operation<Case> => ({
    prepare: async () => ({ ...(await prepare()), responses: [] }),
    async run(victim, each) {
      const { isDone, text } = await send(victim.origin, each)
      if (isDone) each.responses.push(text)
    },
    async repeat(each) {
      const response = await repeated(() => send(service.origin, each))
      each.responses.push(response.text)
      expect(response.status, response.text).to.equal(status)
    },
    async check({ merchant: { businessId }, responses }, label) {
      expect(new Set(responses), label).to.have.property('size', 1)
      const [product, ...more] = await service.deps.Product.find({ businessId }).lean<Product[]>()
      if (product === undefined) return expect.fail(label)
      expect(more, label).to.deep.equal([])
      check(product, JSON.parse(responses[0] ?? '').data, label)
      const environments = (await service.deps.Shop.find({ businessId }).lean()).map(({ sandbox }) => sandbox)
      expect(environments, label).to.deep.equal([true])
    },
  })

  const made = async () => {
    const merchant = await service.merchant()
    const { _id, variants } = await createProduct(service, merchant, { sku: 'A' })
    return { merchant, path: `/${_id}`, variantId: variants[0]._id }
  }

  const sale = (vidOf: (variantId: string) => string, quantity: number) =>
    request(
      200,
      async () => {
        const { merchant, path, variantId } = await made()
        const body = { delta: -quantity }
        return { merchant, method: 'PATCH', path: `${path}/variants/${vidOf(variantId)}/stock`, body }
      },
      ({ variants: [variant] }, data, label) =>
        expect([variant?.stock, data.stock], label).to.deep.equal([5 - quantity, 5 - quantity]),
    )
  const added = { label: 'New', price: 1, sku: 'B' }
  const operations: Record<string, [steps: number, Operation<Case>]> = {
    'creates a product': [
      7,
      request(
        201,
        async () => {
          const body = { name: 'x', price: 1, sku: 'A' }
          return { merchant: await service.merchant(), method: 'POST', path: '', body }
        },
        ({ _id, skus }, data, label) => expect([_id, skus], label).to.deep.equal([data._id, ['A']]),
      ),
    ],
    'changes a product': [
      7,
      request(
        200,
        async () => {
          const body = { variants: [{ label: 'Default', sku: null }, added] }
          return { ...(await made()), method: 'PUT', body }
        },
        ({ variants, skus }, data, label) => {
          expect(variants, label).to.deep.equal(data.variants)
          expect([skus, variants.length], label).to.deep.equal([['B'], 2])
        },
      ),
    ],
    'deletes a product': [
      6,
      request(
        200,
        async () => ({ ...(await made()), method: 'DELETE', body: {} }),
        ({ _id, listed, skus, handle }, data, label) => {
          expect(data, label).to.deep.equal({ _id, deleted: true })
          expect([listed, skus, handle], label).to.deep.equal([false, [], undefined])
        },
      ),
    ],
    'changes the stock': [6, sale((id) => id, 2)],
  }
  for (const [what, [steps, operation]] of Object.entries(operations))
    it(`${what} exactly once when the request is retried`, async () => {
      expect(await killAtEveryStep(service, operation, 0)).to.have.length(steps)
    })

  it('takes the last units even if the commit arrives after a retry has read the stock', async () => {
    const last = sale(() => 'Default', 5)
    await landDuringRetry(service, last, 6)
  })
})
