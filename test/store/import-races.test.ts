import type { WriteRequest } from '../../src/idempotency/request.ts'
import { expectRefused } from '../api/refused.ts'
import { closeInBackground } from '../support/closing.ts'
import { createGate } from '../support/gate.ts'
import { csvOf, importAs, postCsv, storedProducts, variantLines } from '../support/imports.ts'
import { withShortLocks } from '../support/kill-at-every-step.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'
import { createProduct, productRequests, productsPath } from '../support/store.ts'
import { openVictim } from '../support/victim.ts'
import { waitFor } from '../support/wait-for.ts'

/** The steps in which an import locks products and then finds them. `inserting` is for a shop without products. */
const [locking, finding, inserting] = [3, 4, 5]

const codeOf = ({ code }: { code: string }) => code

describe('An import that runs alongside other requests', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()

  async function sells(): Promise<string[]> {
    const stored = await storedProducts(service, merchant)
    for (const { handle, skus, variants } of stored) {
      const own = variants.flatMap(({ sku }) => sku ?? [])
      expect(skus, handle).to.have.members(own)
      expect(new Set(own), handle).to.have.property('size', own.length)
    }
    return stored.flatMap(variantLines)
  }

  const { create, read, list, change } = productRequests(service, merchant)
  const changeStock = (id: string, delta: number) =>
    service.http.patch(`${productsPath}/${id}/variants/Default/stock`).set(merchant.write()).send({ delta })

  async function importFirst(csv: string): Promise<string> {
    await postCsv(service, merchant, csv).expect(200)
    return (await storedProducts(service, merchant))[0]?._id ?? expect.fail('no product')
  }

  /** Pauses an import in another process before a step. Call the returned function to resume it. */
  async function stoppedAt(step: number | 'commit', csv: string, request: Partial<WriteRequest> = {}) {
    const at = step === 'commit' ? await stepsOf(csv) : step
    const victim = await openVictim(service, { step: at, fate: 'paused', lateMs: 0 })
    const outcome = importAs(victim.deps, merchant, csv, request).catch(codeOf)
    await victim.died
    closeInBackground(outcome.then(() => victim.close()))
    return async () => {
      await victim.release()
      return outcome
    }
  }

  async function stepsOf(csv: string): Promise<number> {
    const copy = await service.merchant()
    const stored = await storedProducts(service, merchant)
    const { businessId } = copy
    const copied = stored.map((product) => ({ ...product, _id: `${businessId}${product._id}`, businessId }))
    await service.deps.Product.insertMany(copied)
    const victim = await openVictim(service, { step: 0, fate: 'lost', lateMs: 0 })
    await importAs(victim.deps, copy, csv)
    closeInBackground(victim.close())
    await service.deps.Product.deleteMany({ businessId })
    return victim.steps.length
  }

  it("waits for the same business's earlier import in this process before reading its own file", async () => {
    const gate = createGate()
    const other = service.deps.importOneAtATime(merchant.businessId, () => gate.passed)
    let hasResponse = false
    const waiting = postCsv(service, merchant, 'no header').then((response) => {
      hasResponse = true
      return response
    })
    const neighbour = await postCsv(service, await service.merchant(), csvOf('handle,name,price', 'a,A,1'))
    expect([neighbour.status, hasResponse]).to.deep.equal([200, false])
    gate.open()
    await other
    expect((await waiting).status).to.equal(400)
  })

  it("becomes visible all at once when it commits and doesn't delay other requests to the shop", async () => {
    const kept = await importFirst(csvOf('handle,name,price,stock', 'a,A,1,5', 'b,B,1,5'))
    const { _id: other } = await createProduct(service, merchant, { name: 'Other', stock: 5 })
    const before = await sells()
    const resume = await stoppedAt('commit', csvOf('handle,name,price', 'a,AA,2', 'b,BB,2', 'c,C,2'))
    expect([await sells(), (await list()).body.data.total]).to.deep.equal([before, 3])
    expect((await read(kept)).body.data.name).to.equal('A')
    await changeStock(other, -1).expect(200)
    await create({ name: 'New', price: 1 }).expect(201)
    expect(await resume()).to.include({ created: 1, updated: 2 })
    const names = (await list()).body.data.items.map(({ name }: { name: string }) => name)
    expect(names).to.have.members(['AA', 'BB', 'C', 'Other', 'New'])
  })

  it('conflicts with a POST that creates one of its SKUs, so exactly one of the two succeeds', async () => {
    const csv = csvOf('handle,name,price,sku', 'a,A,1,S-A', 'b,B,2,S-B', 'c,C,3,')
    // MongoDB ends a paused import's transaction long before the import repeats it.
    for (const step of [inserting, inserting + 1]) {
      const posted = step - inserting + 1
      await withShortLocks(service, async () => {
        const late = await stoppedAt(step, csv.replaceAll('S-', `S${posted}-`))
        await create({ name: 'Posted', price: 9, sku: `S${posted}-B` }).expect(201)
        expect(await late()).to.equal('VALIDATION_ERROR')
      })
      expect(await sells()).to.have.length(posted)
    }
    const early = await stoppedAt('commit', csv.replaceAll('S-', 'T-'))
    const refused = expectRefused(create({ name: 'B', price: 1, sku: 'T-B' }), 400, 'VALIDATION_ERROR')
    expect(await early()).to.include({ created: 3 })
    await refused
    expect(await sells()).to.have.length(5)
  })

  it('reserves a new SKU of an existing product before it commits', async () => {
    const { _id } = await createProduct(service, merchant, { name: 'A', price: 1, stock: 0 })
    const resume = await stoppedAt('commit', csvOf('handle,sku', `${_id},A-1`))
    const refused = expectRefused(create({ name: 'B', price: 1, sku: 'A-1' }), 400, 'VALIDATION_ERROR')
    expect(await resume()).to.include({ updated: 1 })
    await refused
    expect(await sells()).to.deep.equal([`${_id}|A|Default|A-1|1|0`])
  })

  it('changes only the prices and stock in its file, whether units are sold before or after it locks the products', async () => {
    for (const [step, stockOfB] of [[locking, 9] as const, [finding, 7] as const]) {
      await postCsv(service, merchant, csvOf('handle,name,price,stock', 'a,A,1,5', 'b,B,1,5')).expect(200)
      const resume = await stoppedAt(step, csvOf('handle,price,stock', 'a,2,', 'b,,9'))
      const sales = (await storedProducts(service, merchant)).map(({ _id }) =>
        changeStock(_id, -2).then(({ status }) => status),
      )
      if (step === locking) await Promise.all(sales)
      expect(await resume()).to.include({ updated: 2 })
      expect(await Promise.all(sales)).to.deep.equal([200, 200])
      expect(await sells()).to.deep.equal(['a|A|Default||2|3', `b|B|Default||1|${stockOfB}`])
      await postCsv(service, merchant, csvOf('handle,price,stock', 'a,1,5', 'b,1,5')).expect(200)
    }
  })

  it('reads the shop again if variants change before it locks them', async () => {
    const rows = ['a,A,S,1,5', 'a,,L,1,5', 'a,,M,1,5']
    const a = await importFirst(csvOf('handle,name,variant_label,price,stock', ...rows))
    const changed = csvOf('handle,name,variant_label,price,sku', 'a,AA,S,2,S-1', 'a,,M,2,M-1')
    const resume = await stoppedAt(locking, changed)
    const variants = [
      { label: 'S', stock: 3 },
      { label: 'L', sku: 'L-1' },
      { label: 'XL', price: 7 },
    ]
    await change(a, { variants, removeMissingVariants: true }).expect(200)
    expect(await resume()).to.include({ created: 0, updated: 1, variants: 2 })
    const after = ['S|S-1|2|3', 'L|L-1|1|5', 'XL||7|0', 'M|M-1|2|0']
    expect(await sells()).to.deep.equal(after.map((each) => `a|AA|${each}`))
  })

  it('starts over if a product that it has read but not locked changes', async () => {
    const many = Array.from({ length: 150 }, (_, n) => `p${n},P,1,5`)
    const first = await importFirst(csvOf('handle,name,price,stock', ...many))
    service.clock.advance(1000)
    const rest = many.slice(50).map((row) => row.replace(',1,', ',2,'))
    await postCsv(service, merchant, csvOf('handle,name,price,stock', ...rest)).expect(200)
    const dearer = csvOf('handle,name,price', ...many.map((_, n) => `p${n},P,3`))
    const resume = await stoppedAt(finding + 2, dearer)
    await changeStock(first, -2).expect(200)
    expect(await resume()).to.include({ updated: 150 })
    expect(await sells()).to.include.members(['p0|P|Default||3|3', 'p149|P|Default||3|5'])
  })

  it('fails if a concurrent change gives one of its SKUs to another variant', async () => {
    const existing = ['a,A,S,1,A-1', 'a,,M,1,', 'a,,L,1,']
    const a = await importFirst(csvOf('handle,name,variant_label,price,sku', ...existing))
    const moved = [
      { label: 'S', sku: null },
      { label: 'L', sku: 'A-1' },
    ]
    // A new SKU, then one that another variant of the product loses.
    for (const [rows, variants] of [
      [['a,S,NEW'], [{ label: 'L', sku: 'NEW' }]],
      [['a,S,A-2', 'a,M,A-1'], moved],
    ] as const) {
      const resume = await stoppedAt(locking, csvOf('handle,variant_label,sku', ...rows))
      await change(a, { variants }).expect(200)
      expect(await resume()).to.equal('VALIDATION_ERROR')
    }
    expect(await sells()).to.deep.equal(['a|A|S||1|0', 'a|A|M||1|0', 'a|A|L|A-1|1|0'])
  })

  it('makes a variant change wait and then apply to the imported variants', async () => {
    const existing = ['a,A,S,1,A-1', 'a,,L,1,A-2']
    const a = await importFirst(csvOf('handle,name,variant_label,price,sku', ...existing))
    const resume = await stoppedAt('commit', csvOf('handle,variant_label,sku', 'a,S,A-2', 'a,L,A-1'))
    let isDone = false
    const waiting = change(a, { name: 'AA', variants: [{ label: 'S', sku: null }] }).then(({ status }) => {
      isDone = true
      return status
    })
    await create({ name: 'B', price: 1 }).expect(201)
    expect(isDone).to.equal(false)
    expect(await resume()).to.include({ updated: 1, variants: 2 })
    expect(await waiting).to.equal(200)
    expect((await sells()).slice(-2)).to.deep.equal(['a|AA|S||1|0', 'a|AA|L|A-1|1|0'])
  })

  it('has no effect if it is rejected at its deadline', async () => {
    // Before it changes anything, and before it inserts the first of two batches of products.
    for (const step of [2, inserting]) {
      const rows = Array.from({ length: 150 }, (_, n) => `p${n},P,1,S-${n}`)
      const deadlineAt = performance.now() + 2_000
      const resume = await stoppedAt(step, csvOf('handle,name,price,sku', ...rows), { deadlineAt })
      await waitFor('the deadline has passed', () => performance.now() > deadlineAt)
      expect(await resume()).to.equal('SERVICE_UNAVAILABLE')
      expect(await sells()).to.deep.equal([])
    }
  })

  it('returns a retryable error and leaves nothing behind if another import takes too long', async () => {
    const resume = await stoppedAt('commit', csvOf('handle,name,price', 'a,A,1'))
    const hasty = { deadlineAt: performance.now() + 1_000 }
    const hurried = importAs(service.deps, merchant, csvOf('handle,name,price', 'b,B,1'), hasty).catch(codeOf)
    expect(await hurried).to.equal('SERVICE_UNAVAILABLE')
    expect(await resume()).to.include({ created: 1 })
    expect(await sells()).to.deep.equal(['a|A|Default||1|0'])
  })
})
