import { expect } from 'chai'
import { Refusal } from '../../src/errors.ts'
import { buildPage } from '../../src/http/responses/build.ts'

const pageOf = (items: unknown[]) => ({ items, page: 1, limit: 100, total: items.length, hasMore: false })
const most = 10_000_000

describe('A page that is built item by item', () => {
  for (const [what, items] of [
    ['no item', []],
    ['small items', [{ a: 1 }, { a: 'é' }]],
    ['items of several parts', Array.from({ length: 20 }, () => ({ text: 'é\n'.repeat(50_000) }))],
  ] as const)
    it(`is the text that JSON.stringify makes of it, with ${what}`, async () => {
      const page = pageOf([...items])
      const parts = await buildPage(page, most)
      expect(Buffer.concat(parts).toString()).to.equal(JSON.stringify({ success: true, data: page }))
    })

  it('is refused with RATE_LIMITED over the bytes of a business, which a smaller `limit` mends', async () => {
    const items = Array.from({ length: 100 }, () => 'x'.repeat(100_000))
    const refused = await buildPage(pageOf(items), most - 1).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Refusal)
    expect(refused).to.deep.include({ code: 'RATE_LIMITED' })
    expect((refused as Refusal).extras.details).to.deep.equal({ scope: 'responses', limit: most - 1 })
  })
})
