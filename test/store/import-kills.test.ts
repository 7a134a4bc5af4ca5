import { csvOf, importAs, storedProducts, variantLines } from '../support/imports.ts'
import { killAtEveryStep, landDuringRetry, type Operation } from '../support/kill-at-every-step.ts'
import { withService } from '../support/service.ts'
import { type Sent, writeOnce } from '../support/write-once.ts'

const existing = csvOf('handle,name,sku,price,stock', 'mug,Mug,M-1,500,5')
const file = csvOf('handle,name,sku,price', 'mug,,M-2,600', 'cup,Cup,C-1,700', 'jar,Jar,J-1,800')
const counts = { created: 2, updated: 1, unchanged: 0, variants: 3, rows: 3 }
const untouched = ['mug|Mug|Default|M-1|500|5']
const imported = ['cup|Cup|Default|C-1|700|0', 'jar|Jar|Default|J-1|800|0', 'mug|Mug|Default|M-2|600|5']

describe('An import whose process is killed between any two steps', function () {
  this.timeout(120_000)
  const service = withService()

  async function prepare() {
    const merchant = await service.merchant()
    await importAs(service.deps, merchant, existing)
    return { merchant, path: '/store/products/import-csv', body: file }
  }

  const retrying: Operation<Sent> = writeOnce(service, 200, prepare, async ({ merchant }, data, label) => {
    expect(data, label).to.deep.equal(counts)
    const products = await storedProducts(service, merchant)
    expect(products.flatMap(variantLines), label).to.deep.equal(imported)
    for (const { skus, variants } of products)
      expect(skus, label).to.deep.equal(variants.map(({ sku }) => sku))
  })

  it('takes effect only once if it is retried, and the retry returns its counts', async () => {
    const { length } = await killAtEveryStep(service, retrying)
    expect(length).to.equal(11)
    await landDuringRetry(service, retrying, length)
  })

  it('is complete or has changed nothing if it is not retried', async () => {
    const seen = new Set<number>()
    await killAtEveryStep(service, {
      ...retrying,
      repeat: async () => undefined,
      async check({ merchant }, label) {
        const products = await storedProducts(service, merchant)
        seen.add(products.length)
        expect(products.flatMap(variantLines), label).to.deep.equal(
          products.length === 3 ? imported : untouched,
        )
      },
    })
    expect([...seen]).to.have.members([1, 3])
  })
})
