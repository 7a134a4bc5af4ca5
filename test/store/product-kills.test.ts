import type { Product } from '../../src/store/products/product.ts'
import { killAtEveryStep, landDuringRetry, type Operation } from '../support/kill-at-every-step.ts'
import { withService } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { type Sent, type Write, writeOnce } from '../support/write-once.ts'

describe('If a process is killed between any two steps of a product request, the service', function () {
  this.timeout(120_000)
  const service = withService()

  /** `check` gets the only product. */
  const request = (
    status: number,
    prepare: () => Promise<Write>,
    check: (product: Product, data: Record<string, unknown>, label: string) => void,
  ): Operation<Sent> => {
    const ofProducts = async () => {
      const { path, ...write } = await prepare()
      return { ...write, path: `/store/products${path}` }
    }
    return writeOnce(service, status, ofProducts, async ({ merchant: { businessId } }, data, label) => {
      const [product = expect.fail(label), ...more] = await service.deps.Product.find({ businessId }).lean()
      expect(more, label).to.deep.equal([])
      check(product, data, label)
      const environments = (await service.deps.Shop.find({ businessId }).lean()).map(({ sandbox }) => sandbox)
      expect(environments, label).to.deep.equal([true])
    })
  }

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
  const operations: Record<string, [steps: number, Operation<Sent>]> = {
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
      expect(await killAtEveryStep(service, operation)).to.have.length(steps)
    })

  it('takes the last units even if the commit arrives after a retry has read the stock', async () => {
    const last = sale(() => 'Default', 5)
    await landDuringRetry(service, last, 6)
  })
})
