import { expectRefused } from '../api/refused.ts'
import { profiled } from '../support/profiled.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { createProduct, type ProductResponse, productRequests } from '../support/store.ts'

const cheap = { label: 'x', price: 1 }

describe('The product list', () => {
  const { service, merchant } = withServiceAndMerchant()
  let made: ProductResponse[]
  before(async () => {
    const stranger = await service.merchant()
    service.clock.freeze(new Date('2026-03-01T10:00:00Z'))
    made = []
    for (const fields of [
      { name: 'Thé vert (250 g)', sku: 'T.1' },
      { name: 'thé NOIR', active: false, variants: [cheap, { ...cheap, sku: 'T%1' }] },
      { name: 'Café 100 % [arabica]', sku: 't.1' },
      { name: '\\d+.*', active: false },
      { name: 'شاي أخضر' },
    ]) {
      made.push(await createProduct(service, merchant, fields))
      // The first two are created at the same instant.
      if (made.length > 1) service.clock.advance(1000)
    }
    await createProduct(service, stranger, { name: 'thé', sku: 'T.1' })
    service.clock.freeze(null)
  })

  const { list } = productRequests(service, merchant)

  it('returns the newest products first, each exactly as GET returns it on its own', async () => {
    const { body } = await list().expect(200)
    const items = made.toReversed()
    expect(body.data).to.deep.equal({ items, page: 1, limit: 20, total: 5, hasMore: false })
    const pages = []
    for (const page of [1, 2, 3, 4]) pages.push(await list({ page, limit: 2 }))
    expect(pages.flatMap((page) => page.body.data.items)).to.deep.equal(items)
    expect(pages.map((page) => page.body.data.hasMore)).to.deep.equal([true, true, false, false])
  })

  it('can be filtered by the active flag, part of the name (ignoring case) and the exact SKU', async () => {
    const cases: [Record<string, unknown>, number[]][] = [
      [{ active: 'true' }, [4, 2, 0]],
      [{ active: 'false' }, [3, 1]],
      [{ q: 'THÉ' }, [1, 0]],
      [{ q: 'thé', active: 'true' }, [0]],
      [{ q: '(250 g)' }, [0]],
      [{ q: '100 % [' }, [2]],
      [{ q: '\\d+.*' }, [3]],
      [{ q: '.*' }, [3]],
      [{ q: 'أخضر' }, [4]],
      [{ q: '^' }, []],
      [{ sku: 'T.1' }, [0]],
      [{ sku: 't.1' }, [2]],
      [{ sku: 'T%1' }, [1]],
      [{ sku: 'T' }, []],
      [{ sku: 'T.1', active: 'false' }, []],
    ]
    for (const [query, indexes] of cases) {
      const { body } = await list(query)
      const names = body.data.items.map(({ name }: ProductResponse) => name)
      expect(names, JSON.stringify(query)).to.deep.equal(indexes.map((index) => made[index]?.name))
      expect(body.data.total).to.equal(indexes.length)
    }
  })

  it('searches index keys and reads only the products on the page', async () => {
    const found = await profiled(service, () => list({ q: 'THÉ' }).expect(200))
    const reads = found.filter(({ ns, command }) => ns.endsWith('.products') && !('profile' in command))
    expect(reads.map(({ docsExamined }) => docsExamined)).to.have.members([0, 2])
  })

  it('rejects an invalid parameter and names it in the error', async () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ active: '1' }, 'active'],
      [{ active: '' }, 'active'],
      [{ active: ['true', 'true'] }, 'active'],
      [{ q: '' }, 'q'],
      [{ q: 'é'.repeat(201) }, 'q'],
      [{ q: 'a\0' }, 'q'],
      [{ q: ['a', 'b'] }, 'q'],
      [{ sku: '' }, 'sku'],
      [{ sku: 'x'.repeat(65) }, 'sku'],
      [{ page: 0 }, 'page'],
      [{ limit: 'x', sku: '' }, 'sku'],
    ]
    for (const [query, param] of cases) await expectRefused(list(query), 400, 'VALIDATION_ERROR', { param })
  })
})
