import { buildPage } from '../../src/http/responses/send.ts'
import { maxPageBytes } from '../../src/limits/capacity.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { countLoopIterations } from '../support/count-loop-iterations.ts'

const pageOf = (items: unknown[]) => ({ items, page: 1, limit: 100, total: items.length, hasMore: false })

describe('buildPage', () => {
  for (const [what, items] of [
    ['no items', []],
    ['small items', [{ a: 1 }, { a: 'é' }]],
    ['items larger than a part', Array.from({ length: 20 }, () => ({ text: 'é\n'.repeat(50_000) }))],
  ] as const)
    it(`returns the same string as JSON.stringify for a page with ${what}`, async () => {
      const page = pageOf([...items])
      const parts = await buildPage(page)
      expect(Buffer.concat(parts).toString()).to.equal(JSON.stringify({ success: true, data: page }))
    })

  it('yields to the event loop several times per megabyte', async () => {
    const items = Array.from({ length: 100 }, () => 'x'.repeat(10_000))
    expect(await countLoopIterations(() => buildPage(pageOf(items)))).to.be.at.least(3)
  })

  it('throws RATE_LIMITED if the page exceeds 26 MiB', async () => {
    const items = Array.from({ length: 100 }, () => 'x'.repeat(273_000))
    const refused = await buildPage(pageOf(items)).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Refusal)
    expect(refused).to.deep.include({ code: 'RATE_LIMITED' })
    expect((refused as Refusal).extras.details).to.deep.equal({ scope: 'responses', limit: maxPageBytes })
  })
})
