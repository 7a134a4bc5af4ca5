import { expect } from 'chai'
import { newId } from '../../src/ids.ts'
import { sweepImports } from '../../src/store/imports/sweep.ts'
import { createShop } from '../../src/store/shops/create-shop.ts'
import { sweep } from '../../src/sweep.ts'
import { expectRefused } from '../api/refused.ts'
import { openBeside, post } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { csvOf, importAs, plansOf, postCsv, soldOf, storedProducts } from '../support/imports.ts'
import { type Fate, openVictim } from '../support/kill-points.ts'
import { createProduct } from '../support/store.ts'
import { until } from '../support/until.ts'

const products = '/api/v1/dev/store/products'
const rounds = 8
/** Longer than a lease. */
const leaseOverMs = 11_000

describe('An import at the same time as', () => {
  let house: House
  let beside: House
  let merchant: Merchant
  const graves: Promise<unknown>[] = []
  before(async () => {
    house = await openHouse({ RATE_LIMIT_PER_SECOND: '10000' })
    beside = await openBeside(house, { RATE_LIMIT_PER_SECOND: '10000' })
  })
  beforeEach(async () => {
    merchant = await openingMerchant()
  })
  after(async () => {
    await Promise.all(graves)
    await beside.close()
    await house.close()
  })

  /** With a shop, so that the steps of each import are the same. */
  async function openingMerchant(): Promise<Merchant> {
    const opening = await house.merchant()
    await createShop(house.deps, { businessId: opening.businessId, sandbox: true, name: 'Sandbox' })
    return opening
  }

  /** What the merchant sells, once nothing of an import is under way any more. */
  async function sells(): Promise<string[]> {
    const stored = await storedProducts(house, merchant)
    for (const { handle, listed, prepared, skus, variants } of stored) {
      expect([listed, prepared], handle).to.deep.equal([true, null])
      const own = variants.flatMap(({ sku }) => sku ?? [])
      expect(skus, handle).to.have.members(own)
      expect(new Set(own), handle).to.have.property('size', own.length)
    }
    expect((await plansOf(house, merchant)).filter(({ open }) => open)).to.deep.equal([])
    return stored.flatMap(soldOf)
  }

  const change = (method: 'put' | 'delete', id: string, body: object) =>
    house.http[method](`${products}/${id}`).set(merchant.write()).send(body)
  const moveStock = (id: string, delta: number) =>
    house.http.patch(`${products}/${id}/variants/Default/stock`).set(merchant.write()).send({ delta })

  /** An import in another process that is stopped at a step: let it `goOn`. */
  async function stoppedAt(step: number, csv: string, effectId: string, fate: Fate = 'paused') {
    const victim = await openVictim(house, { step, fate, lateMs: 0 })
    const answer = importAs(victim.deps, merchant, csv, effectId).catch(
      (error: { code: string }) => error.code,
    )
    await victim.died
    graves.push(answer.then(() => victim.close()))
    return async () => {
      await victim.happen()
      return answer
    }
  }

  it('others: each happens, one after the other, also of the same new products', async () => {
    const [file, other] = [
      csvOf('handle,name,price,sku', 'a,A,1,S-A', 'b,B,2,S-B'),
      csvOf('handle,name,price,sku', 'b,B,3,S-B', 'c,C,4,S-C'),
    ]
    const answers = await Promise.all(
      [file, other, file, other].map((csv, place) =>
        postCsv(place % 2 === 0 ? house : beside, merchant, csv),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
    const made = answers.map(({ body }) => body.data.created)
    expect(made.reduce((sum, each) => sum + each, 0)).to.equal(3)
    const last = (await sells())[1]
    expect(last).to.match(/^b\|B\|Default\|S-B\|[23]\|0$/)
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0', last, 'c|C|Default|S-C|4|0'])
  })

  it('changes of stock, orders and changes of the product: nothing is lost', async () => {
    const { _id } = await createProduct(house, merchant, { name: 'P', price: 10, stock: 100, sku: 'S-0' })
    const items = [{ productId: _id, quantity: 1 }]
    const answers = await Promise.all(
      Array.from({ length: rounds }, async (_, round) => {
        const csv = csvOf('handle,price,sku', `${_id},${20 + round},S-${round}`)
        const [imported, moved, changed, ordered] = await Promise.all([
          postCsv(beside, merchant, csv),
          moveStock(_id, -1),
          change('put', _id, { name: `P${round}`, variants: [{ label: `V${round}`, price: 5 }] }),
          post(
            house,
            merchant,
            '/store/orders/simulate',
            JSON.stringify({ items: [{ ...items[0], variantLabel: 'Default' }] }),
          ),
        ])
        return [imported.status, moved.status, changed.status, ordered.status]
      }),
    )
    for (const statuses of answers) expect(statuses).to.deep.equal([200, 200, 200, 201])
    const [sold, ...added] = await sells()
    expect(sold).to.match(new RegExp(`^${_id}\\|P\\d+\\|Default\\|S-\\d+\\|\\d+\\|${100 - 2 * rounds}$`))
    expect(added).to.have.length(rounds)
  })

  it('a POST with one of its SKUs: one of the two happens, wholly', async () => {
    for (let round = 0; round < rounds; round += 1) {
      merchant = await openingMerchant()
      const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A', 'b,B,2,S-B', 'c,C,3,')
      const posted = { name: 'Posted', price: 9, sku: 'S-B' }
      const pause = new Promise((resolve) => setTimeout(resolve, round))
      const [imported, made] = await Promise.all([
        postCsv(beside, merchant, csv),
        pause.then(() => house.http.post(products).set(merchant.write()).send(posted)),
      ])
      expect([imported.status, made.status]).to.have.members(
        imported.status === 200 ? [200, 400] : [400, 201],
      )
      expect(await sells()).to.have.length(imported.status === 200 ? 3 : 1)
    }
  })

  it('changes between its look and its end: it applies to what is there then', async () => {
    const there = ['a,A,S,1,5,', 'a,,L,1,5,', 'a,,M,1,5,', 'b,B,,1,5,', 'd,D,S,1,5,D-1', 'd,,L,1,5,D-2']
    await postCsv(house, merchant, csvOf('handle,name,variant_label,price,stock,sku', ...there)).expect(200)
    const ids = (await storedProducts(house, merchant)).map(({ _id }) => _id)
    const [a, b, d] = ids as [string, string, string]
    // The two of d exchange their SKUs.
    const asked = ['a,AA,S,2,S-1', 'a,,M,2,M-1', 'b,,,2,B-1', 'd,,S,,D-2', 'd,,L,,D-1']
    const file = csvOf('handle,name,variant_label,price,sku', ...asked)
    // Before it takes the SKUs.
    const goOn = await stoppedAt(4, file, newId())
    const variantsOfD = [
      { label: 'L', sku: null },
      { label: 'M', sku: 'D-2', price: 1 },
    ]
    await change('put', d, { variants: variantsOfD }).expect(200)
    const variants = [
      { label: 'S', stock: 3 },
      { label: 'L', sku: 'L-1' },
      { label: 'XL', price: 7 },
    ]
    await change('put', a, { variants, removeMissingVariants: true }).expect(200)
    await moveStock(b, -2).expect(200)
    expect(await goOn()).to.include({ created: 0, updated: 3 })
    expect(await sells()).to.deep.equal([
      'a|AA|S|S-1|2|3',
      'a|AA|L|L-1|1|5',
      'a|AA|XL||7|0',
      'b|B|Default|B-1|2|3',
      'd|D|S||1|5',
      'd|D|L|D-1|1|5',
      'd|D|M|D-2|1|0',
    ])
    // What it did not come to is free.
    await createProduct(house, merchant, { sku: 'M-1' })
  })

  it('a deletion of one of its products: the rest of it happens, and what that one was to get is free', async () => {
    const file = csvOf('handle,name,price,sku', 'a,A,1,', 'b,B,1,')
    await postCsv(house, merchant, file).expect(200)
    const [a] = await storedProducts(house, merchant)
    // Before it commits.
    const goOn = await stoppedAt(5, csvOf('handle,price,sku', 'a,2,A-1', 'b,2,B-1'), newId())
    await change('delete', a?._id ?? '', {}).expect(200)
    expect(await goOn()).to.include({ updated: 2 })
    expect(await sells()).to.deep.equal(['b|B|Default|B-1|2|0'])
    await createProduct(house, merchant, { sku: 'A-1' })
    expect((await postCsv(house, merchant, file).expect(200)).body.data).to.include({
      created: 1,
      updated: 1,
    })
  })

  it('a change that gives a SKU of it to another variant: it is refused, as it would be after it', async () => {
    const there = ['a,A,S,1', 'a,,L,1']
    await postCsv(house, merchant, csvOf('handle,name,variant_label,price', ...there)).expect(200)
    const [a] = await storedProducts(house, merchant)
    // Before it takes the SKU.
    const goOn = await stoppedAt(4, csvOf('handle,variant_label,sku', 'a,S,NEW'), newId())
    await change('put', a?._id ?? '', { variants: [{ label: 'L', sku: 'NEW' }] }).expect(200)
    expect(await goOn()).to.equal('VALIDATION_ERROR')
    expect(await sells()).to.deep.equal(['a|A|S||1|0', 'a|A|L|NEW|1|0'])
  })

  it('a change that lets go of a SKU that it moves: nobody else gets it meanwhile', async () => {
    const there = ['a,A,S,1,A-1', 'a,,L,1,A-2']
    await postCsv(house, merchant, csvOf('handle,name,variant_label,price,sku', ...there)).expect(200)
    const [a] = await storedProducts(house, merchant)
    // Before it commits.
    const goOn = await stoppedAt(5, csvOf('handle,variant_label,sku', 'a,S,A-2', 'a,L,A-1'), newId())
    const variants = ['S', 'L'].map((label) => ({ label, sku: null }))
    await change('put', a?._id ?? '', { variants }).expect(200)
    const posted = { name: 'B', price: 1, sku: 'A-1' }
    await expectRefused(house.http.post(products).set(merchant.write()).send(posted), 400, 'VALIDATION_ERROR')
    expect(await goOn()).to.include({ updated: 1, variants: 2 })
    expect(await sells()).to.deep.equal(['a|A|S|A-2|1|0', 'a|A|L|A-1|1|0'])
  })

  it('another that was left behind: it never happens, whatever of it lands late', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    const [stored, committed] = [newId(), newId()]
    // One stands before it stores its new product, the next before it commits.
    const storeLate = await stoppedAt(4, csv, stored)
    house.clock.advance(leaseOverMs)
    expect(await sweepImports(house.deps)).to.equal(1)
    const commitLate = await stoppedAt(5, csv, committed)
    house.clock.advance(leaseOverMs)
    const other = await postCsv(house, merchant, csvOf('handle,name,price,sku', 'a,A,2,S-A')).expect(200)
    expect(other.body.data).to.include({ created: 1 })
    expect(await commitLate()).to.equal('SERVICE_UNAVAILABLE')
    // It finds the product there, and begins anew.
    expect(await storeLate()).to.include({ created: 0, updated: 1 })
    expect(await importAs(house.deps, merchant, csv, committed)).to.include({ created: 0, unchanged: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0'])
  })

  it("nobody, after its process died and its products were stored late: they are in nobody's way", async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    const goOn = await stoppedAt(4, csv, newId(), 'late')
    house.clock.advance(leaseOverMs)
    expect(await sweep(house.deps, false)).to.include({ imports: 1 })
    void goOn()
    await until('it landed', async () => (await storedProducts(house, merchant)).length === 1)
    const { body } = await postCsv(house, merchant, csv).expect(200)
    expect(body.data).to.include({ created: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0'])
  })

  it('another that was committed and then left: it is finished at once', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    await stoppedAt(6, csv, newId(), 'lost')
    expect((await plansOf(house, merchant)).map(({ state }) => state)).to.deep.equal(['committed'])
    const { body } = await postCsv(house, merchant, csvOf('handle,name,price,sku', 'a,,2,', 'b,B,3,')).expect(
      200,
    )
    expect(body.data).to.include({ created: 1, updated: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|2|0', 'b|B|Default||3|0'])
  })

  it('another that does not end in time: it is told to come again, and leaves nothing behind', async () => {
    const goOn = await stoppedAt(5, csvOf('handle,name,price', 'a,A,1'), newId())
    const soon = performance.now() + 1_300
    const waiting = importAs(house.deps, merchant, csvOf('handle,name,price', 'b,B,1'), newId(), soon)
    await expectRefused(
      waiting.then(
        () => ({ status: 200, body: {} }),
        (error) => ({ status: error.statusCode, body: { error } }),
      ),
      503,
      'SERVICE_UNAVAILABLE',
    )
    expect(await plansOf(house, merchant)).to.have.length(1)
    expect(await goOn()).to.include({ created: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default||1|0'])
  })
})
