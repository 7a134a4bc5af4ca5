import { csvOf, importAs, storedProducts, variantLines } from '../support/imports.ts'
import { killAtEveryStep, landDuringRetry, type Operation } from '../support/kill-at-every-step.ts'
import { type Merchant, withService } from '../support/service.ts'
import { repeated, sendStore } from '../support/store.ts'

type Case = { merchant: Merchant; responses: string[] }

const existing = csvOf('handle,name,sku,price,stock', 'mug,Mug,M-1,500,5')
const file = csvOf('handle,name,sku,price', 'mug,,M-2,600', 'cup,Cup,C-1,700', 'jar,Jar,J-1,800')
const counts = { created: 2, updated: 1, unchanged: 0, variants: 3, rows: 3 }
const untouched = ['mug|Mug|Default|M-1|500|5']
const imported = ['cup|Cup|Default|C-1|700|0', 'jar|Jar|Default|J-1|800|0', 'mug|Mug|Default|M-2|600|5']

describe('An import whose process is killed between any two steps', function () {
  this.timeout(120_000)
  const service = withService()

  async function prepare(): Promise<Case> {
    const merchant = await service.merchant()
    await importAs(service.deps, merchant, existing)
    return { merchant, responses: [] }
  }

  async function send({ origin }: { origin: string }, { merchant, responses }: Case) {
    const response = await sendStore(origin, merchant, 'POST', '/products/import-csv', file)
    if (response.isDone) responses.push(response.text)
    return response
  }

  const retrying: Operation<Case> = {
    prepare,
    run: send,
    repeat: (each) => repeated(() => send(service, each)),
    async check({ merchant, responses }, label) {
      expect(new Set(responses), label).to.have.property('size', 1)
      expect(JSON.parse(responses[0] ?? '').data, label).to.deep.equal(counts)
      const products = await storedProducts(service, merchant)
      expect(products.flatMap(variantLines), label).to.deep.equal(imported)
      for (const { skus, variants } of products)
        expect(skus, label).to.deep.equal(variants.map(({ sku }) => sku))
    },
  }

  it('takes effect only once if it is retried, and the retry returns its counts', async () => {
    const { length } = await killAtEveryStep(service, retrying, 0)
    expect(length).to.equal(11)
    await landDuringRetry(service, retrying, length)
  })

  it('is complete or has changed nothing if it is not retried', async () => {
    const seen = new Set<number>()
    await killAtEveryStep(
      service,
      {
        ...retrying,
        repeat: async () => undefined,
        async check({ merchant }, label) {
          const products = await storedProducts(service, merchant)
          seen.add(products.length)
          expect(products.flatMap(variantLines), label).to.deep.equal(
            products.length === 3 ? imported : untouched,
          )
        },
      },
      0,
    )
    expect([...seen]).to.have.members([1, 3])
  })
})
