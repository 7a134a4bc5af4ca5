import { expect } from 'chai'
import { noDeadline } from '../../src/mongo/batching/batcher.ts'
import { newId } from '../../src/security/ids.ts'
import { apply } from '../../src/store/imports/plan/apply.ts'
import { rollBack } from '../../src/store/imports/plan/roll-back.ts'
import { sweepImports } from '../../src/store/imports/plan/sweep.ts'
import { createShop } from '../../src/store/shops/create-shop.ts'
import { finishLeftovers } from '../../workers/run/poll.ts'
import { expectRefused } from '../api/refused.ts'
import { post } from '../support/actions.ts'
import { closeInBackground } from '../support/closing.ts'
import {
  csvOf,
  importAs,
  plansOf,
  postCsv,
  storedProduct,
  storedProducts,
  variantLines,
} from '../support/imports.ts'
import { type Merchant, withSecondProcess, withService } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { type Fate, openVictim } from '../support/victim.ts'
import { waitFor } from '../support/wait-for.ts'

const products = '/api/v1/dev/store/products'
const rounds = 5
/** Longer than a lease. */
const leaseOverMs = 11_000

interface Stop {
  effectId?: string
  fate?: Fate
  deadline?: { deadlineAt: number }
}

describe('A concurrent import', () => {
  const service = withService()
  const beside = withSecondProcess(service, {})
  let merchant: Merchant
  const closings: Promise<unknown>[] = []
  beforeEach(async () => {
    merchant = await openingMerchant()
  })
  after(() => closeInBackground(closings))

  /** With a shop, so that the steps of each import are the same. */
  async function openingMerchant(): Promise<Merchant> {
    const opening = await service.merchant()
    await createShop(service.deps, { businessId: opening.businessId, sandbox: true, name: 'Sandbox' })
    return opening
  }

  /** What the merchant sells, once nothing of an import is under way any more. */
  async function sells(): Promise<string[]> {
    const stored = await storedProducts(service, merchant)
    for (const { handle, listed, prepared, skus, variants } of stored) {
      expect([listed, prepared], handle).to.deep.equal([true, null])
      const own = variants.flatMap(({ sku }) => sku ?? [])
      expect(skus, handle).to.have.members(own)
      expect(new Set(own), handle).to.have.property('size', own.length)
    }
    expect((await plansOf(service, merchant)).filter(({ open }) => open)).to.deep.equal([])
    return stored.flatMap(variantLines)
  }

  /** The plan of the import that is under way. */
  async function openPlan() {
    const [plan] = (await plansOf(service, merchant)).filter(({ open }) => open)
    if (plan === undefined) throw new Error('no import is under way')
    return plan
  }

  const change = (method: 'put' | 'delete', id: string, body: object) =>
    service.http[method](`${products}/${id}`).set(merchant.write()).send(body)
  const moveStock = (id: string, delta: number) =>
    service.http.patch(`${products}/${id}/variants/Default/stock`).set(merchant.write()).send({ delta })

  /**
   * An import in another process that is stopped at a step: let it `goOn`. Its steps are: shop, plan, what landed late, handles, SKUs (where new ones are given); new products
   * stored, others marked (where there are any); the commit; others changed, new ones listed; done.
   */
  async function stoppedAt(
    step: number,
    csv: string,
    { effectId = newId(), fate = 'paused', deadline = { deadlineAt: noDeadline } }: Stop = {},
  ) {
    const victim = await openVictim(service, { step, fate, lateMs: 0 })
    const answer = importAs(victim.deps, merchant, csv, effectId, deadline).catch(
      (error: { code: string }) => error.code,
    )
    await victim.died
    closings.push(answer.then(() => victim.close()))
    return async () => {
      await victim.release()
      return answer
    }
  }

  /** What an import hears that has time to look once or twice. */
  const toldInTime = (csv: string) =>
    importAs(service.deps, merchant, csv, newId(), { deadlineAt: performance.now() + 1_100 }).catch(
      (error: { code: string }) => error.code,
    )

  it('runs after other imports, also with the same new products', async () => {
    const [file, other] = [
      csvOf('handle,name,price,sku', 'a,A,1,S-A', 'b,B,2,S-B'),
      csvOf('handle,name,price,sku', 'b,B,3,S-B', 'c,C,4,S-C'),
    ]
    const answers = await Promise.all(
      [file, other, file, other].map((csv, place) =>
        postCsv(place % 2 === 0 ? service : beside, merchant, csv),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
    const made = answers.map(({ body }) => body.data.created)
    expect(made.reduce((sum, each) => sum + each, 0)).to.equal(3)
    const last = (await sells())[1]
    expect(last).to.match(/^b\|B\|Default\|S-B\|[23]\|0$/)
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0', last, 'c|C|Default|S-C|4|0'])
  })

  it('waits for another import of its business in the process before it reads its file', async () => {
    let free = () => {}
    const held = new Promise<void>((resolve) => {
      free = resolve
    })
    const other = service.deps.importOneAtATime(merchant.businessId, () => held)
    let isAnswered = false
    const waiting = postCsv(service, merchant, 'no header').then((response) => {
      isAnswered = true
      return response
    })
    const neighbour = await postCsv(service, await openingMerchant(), csvOf('handle,name,price', 'a,A,1'))
    expect([neighbour.status, isAnswered]).to.deep.equal([200, false])
    free()
    await other
    expect((await waiting).status).to.equal(400)
  })

  it('loses no change of stock, order or change of a product', async () => {
    const { _id } = await createProduct(service, merchant, { name: 'P', price: 10, stock: 100, sku: 'S-0' })
    const items = [{ productId: _id, quantity: 1 }]
    const answers = await Promise.all(
      Array.from({ length: rounds }, async (_, round) => {
        const csv = csvOf('handle,price,sku', `${_id},${20 + round},S-${round}`)
        const [imported, moved, changed, ordered] = await Promise.all([
          postCsv(beside, merchant, csv),
          moveStock(_id, -1),
          change('put', _id, { name: `P${round}`, variants: [{ label: `V${round}`, price: 5 }] }),
          post(
            service,
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

  it('excludes a POST with one of its SKUs: one of the two happens completely', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A', 'b,B,2,S-B', 'c,C,3,')
    const posted = { name: 'Posted', price: 9, sku: 'S-B' }
    const postIt = () => service.http.post(products).set(merchant.write()).send(posted)
    // Before it stores its products, then before it commits.
    for (const [step, status, length] of [
      [6, 201, 1],
      [7, 400, 3],
    ] as const) {
      merchant = await openingMerchant()
      const goOn = await stoppedAt(step, csv)
      await postIt().expect(status)
      if (length === 1) expect(await goOn()).to.equal('VALIDATION_ERROR')
      else expect(await goOn()).to.include({ created: 3 })
      expect(await sells()).to.have.length(length)
    }
  })

  it('reserves a SKU that it gives to an existing product before it runs', async () => {
    const { _id } = await createProduct(service, merchant, { name: 'A', price: 1, stock: 0 })
    // Before it commits.
    const goOn = await stoppedAt(7, csvOf('handle,sku', `${_id},A-1`))
    const posted = { name: 'B', price: 1, sku: 'A-1' }
    await expectRefused(
      service.http.post(products).set(merchant.write()).send(posted),
      400,
      'VALIDATION_ERROR',
    )
    expect(await goOn()).to.include({ updated: 1 })
    expect(await sells()).to.deep.equal([`${_id}|A|Default|A-1|1|0`])
  })

  it('need not read again after sales, and its stock and price win', async () => {
    await postCsv(service, merchant, csvOf('handle,name,price,stock', 'a,A,1,5', 'b,B,1,5')).expect(200)
    const [a, b] = await storedProducts(service, merchant)
    const file = csvOf('handle,price,stock', 'a,2,', 'b,,9')
    const asked = newId()
    // Before it marks them.
    const goOn = await stoppedAt(5, file, { effectId: asked })
    const [plan] = (await plansOf(service, merchant)).filter(({ open }) => open)
    await moveStock(a?._id ?? '', -2).expect(200)
    await moveStock(b?._id ?? '', -2).expect(200)
    expect(await goOn()).to.include({ updated: 2 })
    expect((await plansOf(service, merchant)).find(({ _id }) => _id === asked)?.token).to.equal(plan?.token)
    expect(await sells()).to.deep.equal(['a|A|Default||2|3', 'b|B|Default||1|9'])
  })

  it('reads again after changes of variants', async () => {
    const there = ['a,A,S,1,5', 'a,,L,1,5', 'a,,M,1,5']
    await postCsv(service, merchant, csvOf('handle,name,variant_label,price,stock', ...there)).expect(200)
    const [a] = await storedProducts(service, merchant)
    const goOn = await stoppedAt(
      5,
      csvOf('handle,name,variant_label,price,sku', 'a,AA,S,2,S-1', 'a,,M,2,M-1'),
    )
    const variants = [
      { label: 'S', stock: 3 },
      { label: 'L', sku: 'L-1' },
      { label: 'XL', price: 7 },
    ]
    await change('put', a?._id ?? '', { variants, removeMissingVariants: true }).expect(200)
    expect(await goOn()).to.include({ created: 0, updated: 1, variants: 2 })
    const after = ['S|S-1|2|3', 'L|L-1|1|5', 'XL||7|0', 'M|M-1|2|0']
    expect(await sells()).to.deep.equal(after.map((each) => `a|AA|${each}`))
  })

  it('never exceeds the variants of a product together with a change', async () => {
    const rows = (kind: string, count: number) =>
      Array.from({ length: count }, (_, place) => `a,A,${kind}${place},1`)
    const header = 'handle,name,variant_label,price'
    await postCsv(service, merchant, csvOf(header, ...rows('old', 60))).expect(200)
    const [a] = await storedProducts(service, merchant)
    const goOn = await stoppedAt(5, csvOf(header, ...rows('imported', 40)))
    const variants = Array.from({ length: 40 }, (_, place) => ({ label: `put${place}`, price: 1 }))
    await change('put', a?._id ?? '', { variants }).expect(200)
    expect(await goOn()).to.equal('VALIDATION_ERROR')
    expect(await sells()).to.have.length(100)
  })

  it('skips a product that is deleted meanwhile, and frees its SKUs', async () => {
    const file = csvOf('handle,name,price,sku', 'a,A,1,', 'b,B,1,')
    await postCsv(service, merchant, file).expect(200)
    const [a] = await storedProducts(service, merchant)
    // Before it commits.
    const goOn = await stoppedAt(7, csvOf('handle,price,sku', 'a,2,A-1', 'b,2,B-1'))
    await change('delete', a?._id ?? '', {}).expect(200)
    expect(await goOn()).to.include({ updated: 2 })
    expect(await sells()).to.deep.equal(['b|B|Default|B-1|2|0'])
    await createProduct(service, merchant, { sku: 'A-1' })
    expect((await postCsv(service, merchant, file).expect(200)).body.data).to.include({
      created: 1,
      updated: 1,
    })
  })

  it('keeps a deleted product deleted and its SKUs known, whether the import happens or not', async () => {
    for (const happens of [true, false]) {
      const { _id } = await createProduct(service, merchant)
      // Before it commits.
      const goOn = await stoppedAt(7, csvOf('handle,price,sku', `${_id},2,A-1`))
      expect((await storedProduct(service, _id))?.prepared).to.have.property('by')
      await change('delete', _id, {}).expect(200)
      if (!happens) await rollBack(service.deps, await openPlan())
      const answer = await goOn()
      if (happens) expect(answer).to.include({ updated: 1 })
      else expect(answer).to.equal('SERVICE_UNAVAILABLE')
      await expectRefused(
        service.http.get(`${products}/${_id}`).set(merchant.read()),
        404,
        'PRODUCT_NOT_FOUND',
      )
      expect((await service.http.get(products).set(merchant.read())).body.data.items).to.deep.equal([])
      expect(await storedProduct(service, _id)).to.include({ listed: false, prepared: null })
    }
  })

  it('does nothing to a product that was deleted without its knowledge', async () => {
    const { _id } = await createProduct(service, merchant)
    await change('delete', _id, {}).expect(200)
    const token = newId()
    await service.deps.Product.updateOne({ _id }, { prepared: { by: token } })
    const deleted = await storedProduct(service, _id)
    expect(deleted).to.deep.include({ listed: false, prepared: { by: token } })
    const patches = [{ productId: _id, set: { name: 'B' }, variants: [], added: [] }]
    await apply(service.deps, { token, patches })
    expect(await storedProduct(service, _id)).to.deep.equal(deleted)
  })

  it('refuses a change that gives one of its SKUs to another variant', async () => {
    const there = ['a,A,S,1,A-1', 'a,,M,1,', 'a,,L,1,']
    await postCsv(service, merchant, csvOf('handle,name,variant_label,price,sku', ...there)).expect(200)
    const [a] = await storedProducts(service, merchant)
    // A new one, and then one that another of its variants lets go of. Before it marks the product.
    for (const [rows, variants] of [
      [['a,S,NEW'], [{ label: 'L', sku: 'NEW' }]],
      [
        ['a,S,A-2', 'a,M,A-1'],
        [
          { label: 'S', sku: null },
          { label: 'L', sku: 'A-1' },
        ],
      ],
    ] as const) {
      const goOn = await stoppedAt(6, csvOf('handle,variant_label,sku', ...rows))
      await change('put', a?._id ?? '', { variants }).expect(200)
      expect(await goOn()).to.equal('VALIDATION_ERROR')
    }
    expect(await sells()).to.deep.equal(['a|A|S||1|0', 'a|A|M||1|0', 'a|A|L|A-1|1|0'])
  })

  it('makes a change of marked variants wait, and no other variant gets a SKU that it moves', async () => {
    const there = ['a,A,S,1,A-1', 'a,,L,1,A-2']
    await postCsv(service, merchant, csvOf('handle,name,variant_label,price,sku', ...there)).expect(200)
    const [a] = await storedProducts(service, merchant)
    // Before it commits.
    const goOn = await stoppedAt(7, csvOf('handle,variant_label,sku', 'a,S,A-2', 'a,L,A-1'))
    let isThrough = false
    const variants = [{ label: 'S', sku: null }]
    const waiting = change('put', a?._id ?? '', { variants }).then(({ status }) => {
      isThrough = true
      return status
    })
    const posted = { name: 'B', price: 1, sku: 'A-1' }
    await expectRefused(
      service.http.post(products).set(merchant.write()).send(posted),
      400,
      'VALIDATION_ERROR',
    )
    await change('put', a?._id ?? '', { name: 'AA' }).expect(200)
    expect(isThrough).to.equal(false)
    expect(await goOn()).to.include({ updated: 1, variants: 2 })
    expect(await waiting).to.equal(200)
    expect(await sells()).to.deep.equal(['a|AA|S||1|0', 'a|AA|L|A-1|1|0'])
  })

  it('keeps units sold that were sold after it, even if another process finishes it', async () => {
    await postCsv(service, merchant, csvOf('handle,name,price,stock', 'a,A,1,5')).expect(200)
    const [a] = await storedProducts(service, merchant)
    // Before it changes the product, and before it is done.
    for (const [step, stock] of [
      [7, 20],
      [9, 30],
    ] as const) {
      const goOn = await stoppedAt(step, csvOf('handle,stock', `a,${stock}`))
      service.clock.advance(leaseOverMs)
      if (step === 9) await moveStock(a?._id ?? '', -1).expect(200)
      expect(await sweepImports(service.deps)).to.equal(1)
      if (step === 7) await moveStock(a?._id ?? '', -1).expect(200)
      expect(await goOn()).to.include({ updated: 1 })
      expect(await sells()).to.deep.equal([`a|A|Default||1|${stock - 1}`])
    }
  })

  it('never happens if it was refused for being too late', async () => {
    // Its plan is stored late; its products are; it is about to commit.
    for (const step of [2, 6]) {
      const deadline = { deadlineAt: noDeadline }
      const goOn = await stoppedAt(step, csvOf('handle,name,price,sku', 'a,A,1,A-1'), { deadline })
      deadline.deadlineAt = 0
      expect(await goOn()).to.equal('SERVICE_UNAVAILABLE')
      expect(await sells()).to.deep.equal([])
      expect(await plansOf(service, merchant)).to.deep.equal([])
    }
  })

  it('happens if it was committed and taken over, and never if it was given up', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    // Before it commits.
    const givenUp = await stoppedAt(7, csv)
    await service.deps.ImportPlan.updateOne({ _id: (await openPlan())._id }, { state: 'aborting' })
    expect(await givenUp()).to.equal('SERVICE_UNAVAILABLE')
    await sweepImports(service.deps)
    expect(await sells()).to.deep.equal([])
    // Before its new product is listed.
    const committed = await stoppedAt(8, csv)
    await rollBack(service.deps, await openPlan())
    expect(await committed()).to.include({ created: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0'])
  })

  it('never happens if it was abandoned, whatever of it is written late', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    const [stored, committed] = [newId(), newId()]
    // One stands before it stores its new product, the next before it commits.
    const storeLate = await stoppedAt(6, csv, { effectId: stored })
    service.clock.advance(leaseOverMs)
    expect(await sweepImports(service.deps)).to.equal(1)
    const commitLate = await stoppedAt(7, csv, { effectId: committed })
    service.clock.advance(leaseOverMs)
    const other = await postCsv(service, merchant, csvOf('handle,name,price,sku', 'a,A,2,S-A')).expect(200)
    expect(other.body.data).to.include({ created: 1 })
    expect(await commitLate()).to.equal('SERVICE_UNAVAILABLE')
    // It finds the product there, and begins anew.
    expect(await storeLate()).to.include({ created: 0, updated: 1 })
    expect(await importAs(service.deps, merchant, csv, committed)).to.include({ created: 0, unchanged: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0'])
  })

  it('leaves late products of a crashed process that disturb no one', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    const goOn = await stoppedAt(6, csv, { fate: 'late' })
    service.clock.advance(leaseOverMs)
    expect(await finishLeftovers(service.deps)).to.equal(1)
    void goOn()
    await waitFor('it landed', async () => (await storedProducts(service, merchant)).length === 1)
    const { body } = await postCsv(service, merchant, csv).expect(200)
    expect(body.data).to.include({ created: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0'])
  })

  it('is finished after its lease if it was committed and abandoned', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    await stoppedAt(8, csv, { fate: 'lost' })
    const other = csvOf('handle,name,price,sku', 'a,,2,', 'b,B,3,')
    expect(await toldInTime(other)).to.equal('SERVICE_UNAVAILABLE')
    expect((await plansOf(service, merchant)).map(({ state }) => state)).to.deep.equal(['committed'])
    service.clock.advance(leaseOverMs)
    const { body } = await postCsv(service, merchant, other).expect(200)
    expect(body.data).to.include({ created: 1, updated: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|2|0', 'b|B|Default||3|0'])
  })

  it('returns a retryable error and leaves nothing behind if another import takes too long', async () => {
    const goOn = await stoppedAt(6, csvOf('handle,name,price', 'a,A,1'))
    expect(await toldInTime(csvOf('handle,name,price', 'b,B,1'))).to.equal('SERVICE_UNAVAILABLE')
    expect(await plansOf(service, merchant)).to.have.length(1)
    expect(await goOn()).to.include({ created: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default||1|0'])
  })
})
