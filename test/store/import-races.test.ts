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
import { createGate } from '../support/gate.ts'
import { csvOf, importAs, plansOf, postCsv, storedProduct, storedProducts, variantLines } from '../support/imports.ts'
import { type Merchant, withSecondProcess, withService } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { type Fate, openVictim } from '../support/victim.ts'
import { waitFor } from '../support/wait-for.ts'

const products = '/api/v1/dev/store/products'
const pairs = 5
/** Longer than a lease. */
const afterLeaseMs = 11_000

interface Stop {
  effectId?: string
  fate?: Fate
  deadline?: { deadlineAt: number }
}

describe('A concurrent import', () => {
  const service = withService()
  const beside = withSecondProcess(service, {})
  let merchant: Merchant
  before(() => {
    // No lease ends by itself, however long a step takes.
    for (const { clock } of [service, beside]) clock.freeze(service.clock.now())
  })
  beforeEach(async () => {
    merchant = await openingMerchant()
  })

  /** With a shop, so that the steps of each import are the same. */
  async function openingMerchant(): Promise<Merchant> {
    const opening = await service.merchant()
    await createShop(service.deps, { businessId: opening.businessId, sandbox: true, name: 'Sandbox' }, null)
    return opening
  }

  /** Returns the merchant's variants, and expects no traces of a running import. */
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

  async function openPlan() {
    const [plan] = (await plansOf(service, merchant)).filter(({ open }) => open)
    return plan ?? expect.fail('no import is running')
  }

  const change = (method: 'put' | 'delete', id: string, body: object) =>
    service.http[method](`${products}/${id}`).set(merchant.write()).send(body)
  const changeStock = (id: string, delta: number) =>
    service.http.patch(`${products}/${id}/variants/Default/stock`).set(merchant.write()).send({ delta })

  const create = (body: object) => service.http.post(products).set(merchant.write()).send(body)
  const expectSkuTaken = (sku: string) => expectRefused(create({ name: 'B', price: 1, sku }), 400, 'VALIDATION_ERROR')
  /** Imports a file of products, and returns the id of the first by handle. */
  async function importFirst(csv: string): Promise<string> {
    await postCsv(service, merchant, csv).expect(200)
    return (await storedProducts(service, merchant))[0]?._id ?? expect.fail('no product')
  }

  /**
   * Starts an import in another process and pauses it before a step. The returned function resumes it. The steps: find
   * the shop, insert the plan, find late preparations, find handles, find SKUs (if the file gives new ones), insert new
   * products, prepare existing products (if any), commit, change products, list new ones, mark the plan as done.
   */
  async function stoppedAt(
    step: number,
    csv: string,
    { effectId = newId(), fate = 'paused', deadline = { deadlineAt: noDeadline } }: Stop = {},
  ) {
    const victim = await openVictim(service, { step, fate, lateMs: 0 })
    const outcome = importAs(victim.deps, merchant, csv, effectId, deadline).catch(
      (error: { code: string }) => error.code,
    )
    await victim.died
    closeInBackground(outcome.then(() => victim.close()))
    return async () => {
      await victim.release()
      return outcome
    }
  }

  /** The outcome of an import that has time for one or two looks at the other plan. */
  const importInAHurry = (csv: string) =>
    importAs(service.deps, merchant, csv, newId(), { deadlineAt: performance.now() + 1_100 }).catch(
      (error: { code: string }) => error.code,
    )

  it('waits for other imports into the same shop, and then succeeds even if they have created the same products', async () => {
    const [file, other] = [
      csvOf('handle,name,price,sku', 'a,A,1,S-A', 'b,B,2,S-B'),
      csvOf('handle,name,price,sku', 'b,B,3,S-B', 'c,C,4,S-C'),
    ]
    const responses = await Promise.all(
      [file, other, file, other].map((csv, n) => postCsv(n % 2 === 0 ? service : beside, merchant, csv)),
    )
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
    const made = responses.map(({ body }) => body.data.created)
    expect(made.reduce((sum, each) => sum + each, 0)).to.equal(3)
    const last = (await sells())[1]
    expect(last).to.match(/^b\|B\|Default\|S-B\|[23]\|0$/)
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0', last, 'c|C|Default|S-C|4|0'])
  })

  it('waits for any other import by the same business in the same process before reading its own file', async () => {
    const gate = createGate()
    const other = service.deps.importOneAtATime(merchant.businessId, () => gate.passed)
    let hasResponse = false
    const waiting = postCsv(service, merchant, 'no header').then((response) => {
      hasResponse = true
      return response
    })
    const neighbour = await postCsv(service, await openingMerchant(), csvOf('handle,name,price', 'a,A,1'))
    expect([neighbour.status, hasResponse]).to.deep.equal([200, false])
    gate.open()
    await other
    expect((await waiting).status).to.equal(400)
  })

  it('loses no stock change, order or product change that happens while it is running', async () => {
    const { _id } = await createProduct(service, merchant, { name: 'P', price: 10, stock: 100, sku: 'S-0' })
    const order = JSON.stringify({ items: [{ productId: _id, quantity: 1, variantLabel: 'Default' }] })
    const responses = await Promise.all(
      Array.from({ length: pairs }, (_, round) =>
        Promise.all([
          postCsv(beside, merchant, csvOf('handle,price,sku', `${_id},${20 + round},S-${round}`)),
          changeStock(_id, -1),
          change('put', _id, { name: `P${round}`, variants: [{ label: `V${round}`, price: 5 }] }),
          post(service, merchant, '/store/orders/simulate', order),
        ]),
      ),
    )
    for (const round of responses) expect(round.map(({ status }) => status)).to.deep.equal([200, 200, 200, 201])
    const [sold, ...added] = await sells()
    expect(sold).to.match(new RegExp(`^${_id}\\|P\\d+\\|Default\\|S-\\d+\\|\\d+\\|${100 - 2 * pairs}$`))
    expect(added).to.have.length(pairs)
  })

  it("conflicts with a POST that creates a product with one of the import's SKUs, so that exactly one of the two requests succeeds", async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A', 'b,B,2,S-B', 'c,C,3,')
    // Before it inserts its products, then before it commits.
    for (const [step, status, length] of [
      [6, 201, 1],
      [7, 400, 3],
    ] as const) {
      merchant = await openingMerchant()
      const resume = await stoppedAt(step, csv)
      await create({ name: 'Posted', price: 9, sku: 'S-B' }).expect(status)
      if (length === 1) expect(await resume()).to.equal('VALIDATION_ERROR')
      else expect(await resume()).to.include({ created: 3 })
      expect(await sells()).to.have.length(length)
    }
  })

  it('reserves a new SKU for an existing product before committing', async () => {
    const { _id } = await createProduct(service, merchant, { name: 'A', price: 1, stock: 0 })
    // Before it commits.
    const resume = await stoppedAt(7, csvOf('handle,sku', `${_id},A-1`))
    await expectSkuTaken('A-1')
    expect(await resume()).to.include({ updated: 1 })
    expect(await sells()).to.deep.equal([`${_id}|A|Default|A-1|1|0`])
  })

  it('does not read the shop again after sales, and changes only the prices and stock that its file contains', async () => {
    await postCsv(service, merchant, csvOf('handle,name,price,stock', 'a,A,1,5', 'b,B,1,5')).expect(200)
    const file = csvOf('handle,price,stock', 'a,2,', 'b,,9')
    const effectId = newId()
    // Before it prepares them.
    const resume = await stoppedAt(5, file, { effectId })
    const { token } = await openPlan()
    for (const { _id } of await storedProducts(service, merchant)) await changeStock(_id, -2).expect(200)
    expect(await resume()).to.include({ updated: 2 })
    expect((await plansOf(service, merchant)).find(({ _id }) => _id === effectId)?.token).to.equal(token)
    expect(await sells()).to.deep.equal(['a|A|Default||2|3', 'b|B|Default||1|9'])
  })

  it('reads the shop again if variants change while it is running', async () => {
    const rows = ['a,A,S,1,5', 'a,,L,1,5', 'a,,M,1,5']
    const a = await importFirst(csvOf('handle,name,variant_label,price,stock', ...rows))
    const file = csvOf('handle,name,variant_label,price,sku', 'a,AA,S,2,S-1', 'a,,M,2,M-1')
    const resume = await stoppedAt(5, file)
    const variants = [
      { label: 'S', stock: 3 },
      { label: 'L', sku: 'L-1' },
      { label: 'XL', price: 7 },
    ]
    await change('put', a, { variants, removeMissingVariants: true }).expect(200)
    expect(await resume()).to.include({ created: 0, updated: 1, variants: 2 })
    const after = ['S|S-1|2|3', 'L|L-1|1|5', 'XL||7|0', 'M|M-1|2|0']
    expect(await sells()).to.deep.equal(after.map((each) => `a|AA|${each}`))
  })

  it('is rejected if a product would have too many variants because of a concurrent change', async () => {
    const rows = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `a,A,${kind}${n},1`)
    const header = 'handle,name,variant_label,price'
    const a = await importFirst(csvOf(header, ...rows('old', 60)))
    const resume = await stoppedAt(5, csvOf(header, ...rows('imported', 40)))
    const variants = Array.from({ length: 40 }, (_, n) => ({ label: `put${n}`, price: 1 }))
    await change('put', a, { variants }).expect(200)
    expect(await resume()).to.equal('VALIDATION_ERROR')
    expect(await sells()).to.have.length(100)
  })

  it("skips a product that is deleted during the import, and frees that product's SKUs", async () => {
    const file = csvOf('handle,name,price,sku', 'a,A,1,', 'b,B,1,')
    const a = await importFirst(file)
    // Before it commits.
    const resume = await stoppedAt(7, csvOf('handle,price,sku', 'a,2,A-1', 'b,2,B-1'))
    await change('delete', a, {}).expect(200)
    expect(await resume()).to.include({ updated: 2 })
    expect(await sells()).to.deep.equal(['b|B|Default|B-1|2|0'])
    await createProduct(service, merchant, { sku: 'A-1' })
    const { body } = await postCsv(service, merchant, file).expect(200)
    expect(body.data).to.include({ created: 1, updated: 1 })
  })

  it('keeps a deleted product deleted and unlisted, whether the import is committed or rolled back', async () => {
    for (const happens of [true, false]) {
      const { _id } = await createProduct(service, merchant)
      // Before it commits.
      const resume = await stoppedAt(7, csvOf('handle,price,sku', `${_id},2,A-1`))
      expect((await storedProduct(service, _id))?.prepared).to.have.property('by')
      await change('delete', _id, {}).expect(200)
      if (!happens) await rollBack(service.deps, await openPlan())
      const outcome = await resume()
      if (happens) expect(outcome).to.include({ updated: 1 })
      else expect(outcome).to.equal('SERVICE_UNAVAILABLE')
      const read = service.http.get(`${products}/${_id}`).set(merchant.read())
      await expectRefused(read, 404, 'PRODUCT_NOT_FOUND')
      expect((await service.http.get(products).set(merchant.read())).body.data.items).to.deep.equal([])
      expect(await storedProduct(service, _id)).to.include({ listed: false, prepared: null })
    }
  })

  it('does not change a product that has been deleted but is still marked as prepared by that import', async () => {
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

  it("fails if a concurrent change gives one of the import's SKUs to a different variant", async () => {
    const existing = ['a,A,S,1,A-1', 'a,,M,1,', 'a,,L,1,']
    const a = await importFirst(csvOf('handle,name,variant_label,price,sku', ...existing))
    // A new SKU, then one that another variant of the product loses. Before it prepares the product.
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
      const resume = await stoppedAt(6, csvOf('handle,variant_label,sku', ...rows))
      await change('put', a, { variants }).expect(200)
      expect(await resume()).to.equal('VALIDATION_ERROR')
    }
    expect(await sells()).to.deep.equal(['a|A|S||1|0', 'a|A|M||1|0', 'a|A|L|A-1|1|0'])
  })

  it('delays any change to variants that it has prepared, and reserves the SKUs that it is swapping', async () => {
    const existing = ['a,A,S,1,A-1', 'a,,L,1,A-2']
    const a = await importFirst(csvOf('handle,name,variant_label,price,sku', ...existing))
    // Before it commits.
    const resume = await stoppedAt(7, csvOf('handle,variant_label,sku', 'a,S,A-2', 'a,L,A-1'))
    let isDone = false
    const variants = [{ label: 'S', sku: null }]
    const waiting = change('put', a, { variants }).then(({ status }) => {
      isDone = true
      return status
    })
    await expectSkuTaken('A-1')
    await change('put', a, { name: 'AA' }).expect(200)
    expect(isDone).to.equal(false)
    expect(await resume()).to.include({ updated: 1, variants: 2 })
    expect(await waiting).to.equal(200)
    expect(await sells()).to.deep.equal(['a|AA|S||1|0', 'a|AA|L|A-1|1|0'])
  })

  it('does not undo later sales, even if a different process finishes the import', async () => {
    const a = await importFirst(csvOf('handle,name,price,stock', 'a,A,1,5'))
    // Before it changes the product, and before it is done.
    for (const [step, stock] of [
      [7, 20],
      [9, 30],
    ] as const) {
      const resume = await stoppedAt(step, csvOf('handle,stock', `a,${stock}`))
      service.clock.advance(afterLeaseMs)
      if (step === 9) await changeStock(a, -1).expect(200)
      expect(await sweepImports(service.deps)).to.equal(1)
      if (step === 7) await changeStock(a, -1).expect(200)
      expect(await resume()).to.include({ updated: 1 })
      expect(await sells()).to.deep.equal([`a|A|Default||1|${stock - 1}`])
    }
  })

  it('has no effect if it was rejected because its deadline had passed', async () => {
    // The deadline passes before it inserts its plan, then before it commits.
    for (const step of [2, 6]) {
      const deadline = { deadlineAt: noDeadline }
      const resume = await stoppedAt(step, csvOf('handle,name,price,sku', 'a,A,1,A-1'), { deadline })
      deadline.deadlineAt = 0
      expect(await resume()).to.equal('SERVICE_UNAVAILABLE')
      expect(await sells()).to.deep.equal([])
      expect(await plansOf(service, merchant)).to.deep.equal([])
    }
  })

  it('takes effect if a different process takes over after the import was committed, but not if the import was aborted', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    // Before it commits.
    const aborted = await stoppedAt(7, csv)
    await service.deps.ImportPlan.updateOne({ _id: (await openPlan())._id }, { state: 'aborting' })
    expect(await aborted()).to.equal('SERVICE_UNAVAILABLE')
    await sweepImports(service.deps)
    expect(await sells()).to.deep.equal([])
    // Before its new product is listed.
    const committed = await stoppedAt(8, csv)
    await rollBack(service.deps, await openPlan())
    expect(await committed()).to.include({ created: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0'])
  })

  it('never takes effect after it has been abandoned, whichever of its writes arrives late', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    const [stored, committed] = [newId(), newId()]
    // One pauses before it inserts its new product, the next before it commits.
    const storeLate = await stoppedAt(6, csv, { effectId: stored })
    service.clock.advance(afterLeaseMs)
    expect(await sweepImports(service.deps)).to.equal(1)
    const commitLate = await stoppedAt(7, csv, { effectId: committed })
    service.clock.advance(afterLeaseMs)
    const other = await postCsv(service, merchant, csvOf('handle,name,price,sku', 'a,A,2,S-A')).expect(200)
    expect(other.body.data).to.include({ created: 1 })
    expect(await commitLate()).to.equal('SERVICE_UNAVAILABLE')
    // It finds the product and starts again.
    expect(await storeLate()).to.include({ created: 0, updated: 1 })
    expect(await importAs(service.deps, merchant, csv, committed)).to.include({ created: 0, unchanged: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0'])
  })

  it('ignores products that arrive late from an import whose process crashed', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    const resume = await stoppedAt(6, csv, { fate: 'late' })
    service.clock.advance(afterLeaseMs)
    expect(await finishLeftovers(service.deps)).to.equal(1)
    void resume()
    await waitFor('it landed', async () => (await storedProducts(service, merchant)).length === 1)
    const { body } = await postCsv(service, merchant, csv).expect(200)
    expect(body.data).to.include({ created: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|1|0'])
  })

  it('is finished by the next import if its process died after the commit and its lease has expired', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A')
    await stoppedAt(8, csv, { fate: 'lost' })
    const other = csvOf('handle,name,price,sku', 'a,,2,', 'b,B,3,')
    expect(await importInAHurry(other)).to.equal('SERVICE_UNAVAILABLE')
    expect((await plansOf(service, merchant)).map(({ state }) => state)).to.deep.equal(['committed'])
    service.clock.advance(afterLeaseMs)
    const { body } = await postCsv(service, merchant, other).expect(200)
    expect(body.data).to.include({ created: 1, updated: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default|S-A|2|0', 'b|B|Default||3|0'])
  })

  it('returns a retryable error and leaves nothing behind if another import takes too long', async () => {
    const resume = await stoppedAt(6, csvOf('handle,name,price', 'a,A,1'))
    expect(await importInAHurry(csvOf('handle,name,price', 'b,B,1'))).to.equal('SERVICE_UNAVAILABLE')
    expect(await plansOf(service, merchant)).to.have.length(1)
    expect(await resume()).to.include({ created: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default||1|0'])
  })
})
