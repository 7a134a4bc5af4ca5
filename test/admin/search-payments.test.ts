import { freeReusableCode } from '../../src/intents/codes.ts'
import { dayMs, hourMs, toUtcDay } from '../../src/platform/time.ts'
import type { WalletOutcome } from '../../src/wallets/wallet.ts'
import { type Created, createIntent } from '../support/actions.ts'
import { pay, refund, simulate, storedIntent } from '../support/pay.ts'
import { profiled } from '../support/profiled.ts'
import { recordLog } from '../support/recorded-log.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { type Merchant, secretKey, withMerchant, withSecondProcess, withService } from '../support/service.ts'
import { readable, signedIn, type Visitor } from './staff.ts'

describe('The payment search', () => {
  const recorded = recordLog()
  const service = withService({ INTENT_LIFETIME_SECONDS: '3600' }, recorded.log)
  const newKey = Buffer.alloc(32, 7).toString('base64')
  const rotated = withSecondProcess(service, { SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: secretKey })
  const merchant = withMerchant(service)
  let staff: Visitor & { name: string }
  before(async () => void (staff = await signedIn(service, 'viewer')))
  afterEach(() => service.clock.freeze(null))

  const search = (q: string) => staff.act('/admin/search', { q })
  const byAmount = (business: string, amount: string, day: string) =>
    staff.act('/admin/search/amount', { business, amount, day })
  const pageOf = (intent: { referenceNumber: string }) => `/admin/payments/${intent.referenceNumber}`
  const today = () => toUtcDay(service.clock.now())
  const listed = (html: string) =>
    [...html.matchAll(/href="\/admin\/payments\/(PI-\w+)"/g)].map(([, reference]) => reference)

  it('finds a payment by its link, short code, payment code, refund id or wallet key', async () => {
    const wallet = scriptedWallet(service)
    const intent = await createIntent(service, merchant)
    const { shortCode, code } = intent
    const spaced = `${shortCode.slice(0, 3)} ${shortCode.slice(3)}`
    const links = [
      `https://pay.example.com/p/${shortCode}`,
      `http://other.example:8080/p/${shortCode.toLowerCase()}?utm_source=whatsapp&q=/p/AAAAAA`,
      `  pay.example.com/p/${shortCode}/ \n`,
      `/p/${shortCode}#top`,
    ]
    const arabic = code.replaceAll(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'.charAt(Number(digit)))
    const codes = [code, ...[' ', '-'].map((mark) => code.slice(0, 3) + mark + code.slice(3)), arabic]
    for (const query of [shortCode, shortCode.toLowerCase(), spaced, ...links, ...codes])
      expect((await search(query)).location, query).to.equal(pageOf(intent))
    await pay(service, intent.referenceNumber, { phone: '36745698' })
    const { hold } = await storedIntent(service, intent.referenceNumber)
    expect((await search(hold?.id ?? '')).location, 'of a hold').to.equal(pageOf(intent))
    const paid = await createIntent(service, merchant)
    wallet.setOutcome(() => ({ outcome: 'declined', reason: 'insufficient_funds' }))
    await pay(service, paid.referenceNumber)
    wallet.setOutcome(() => ({ outcome: 'done' }))
    await pay(service, paid.referenceNumber)
    await refund(service, merchant, paid.referenceNumber, 100)
    wallet.setOutcome(() => ({ outcome: 'failed', reason: 'wallet_closed' }))
    await refund(service, merchant, paid.referenceNumber, 200)
    const { attempts, payment, refunds } = await storedIntent(service, paid.referenceNumber)
    const keys = [...attempts.map(({ id }) => id), payment?.key, refunds[0]?.id, refunds[0]?.id.toLowerCase()]
    expect(keys).to.have.lengthOf(6)
    for (const key of keys) expect((await search(key ?? '')).location, key).to.equal(pageOf(paid))
  })

  it('lists all payments that have had the same payment code', async () => {
    const [other, live] = await Promise.all([service.merchant(), service.merchant({ mode: 'live' })])
    const made = []
    for (const owner of [merchant, other, live, merchant]) {
      made.push(await createIntent(service, owner, { amount: 70_000 }))
      service.clock.advance(1000)
    }
    const [first, second, third, fourth] = made as [Created, Created, Created, Created]
    const { code } = first
    const keyOf = (owner: Merchant) => `test:${code}:${owner.businessId}`
    const setKey = ({ referenceNumber }: Created, codeKey: string) =>
      service.deps.Intent.updateOne({ referenceNumber }, { code, codeKey })
    await setKey(second, keyOf(other))
    await setKey(third, `live:${code}`)
    service.clock.advance(2 * hourMs)
    expect(await freeReusableCode(service.deps, keyOf(merchant))).to.equal(true)
    await setKey(fourth, keyOf(merchant))
    const { status, text } = await search(code)
    expect(status).to.equal(200)
    expect(listed(text)).to.deep.equal([fourth, third, second, first].map((each) => each.referenceNumber))
    expect(readable(text)).to.include(`4 results for the payment code ${code}.`)
    expect(readable(text)).to.match(/live Épicerie.* 700\.00 MRU CANCELLED, expired \d{4}-/)
    service.clock.advance(4 * dayMs)
    staff = await signedIn(service, 'viewer')
    expect(readable((await search(code)).text)).to.include(`Nothing was found for ${code}.`)
  })

  it("finds payments by the payer's phone number, but audits the search first and never stores or logs the number", async () => {
    const shop = await service.merchant()
    const wallet = scriptedWallet(service)
    const made: Created[] = []
    const outcomes: WalletOutcome[] = [
      { outcome: 'declined', reason: 'limit_exceeded' },
      { outcome: 'unknown', why: 'timeout' },
      { outcome: 'done' },
    ]
    for (const outcome of outcomes) {
      const intent = await createIntent(service, shop)
      made.unshift(intent)
      wallet.setOutcome(() => outcome)
      await pay(service, intent.referenceNumber, { phone: '48120987' })
      service.clock.advance(1000)
    }
    const simulated = await createIntent(service, shop)
    made.unshift(simulated)
    await simulate(service, shop, simulated.referenceNumber, { payerPhone: '+222 48 12 09 87' })
    const typed = ['48120987', '+222 48-12-09-87', '0022248120987', '٤٨ ١٢ ٠٩ ٨٧']
    for (const query of typed) {
      const { status, text } = await search(query)
      expect(status, query).to.equal(200)
      expect(listed(text), query).to.deep.equal(made.map(({ referenceNumber }) => referenceNumber))
      expect(readable(text), query).to.include("4 results for the payer's phone number 48 ** ** 87.")
      expect(text.includes('48120987') || text.includes(query), query).to.equal(false)
    }
    expect(readable((await search('48120988')).text)).to.include('Nothing was found.')
    const act = 'payment.searched-by-phone'
    const lines = await service.deps.AuditEvent.find({ act }, null, { sort: { _id: 1 } })
    expect(lines.map(({ actor, subject, after }) => [actor.name, subject, after?.found])).to.deep.equal([
      ...typed.map(() => [staff.name, '48 ** ** 87', 4]),
      [staff.name, '48 ** ** 88', 0],
    ])
    const { db } = service.deps.mongo
    for (const { name } of (await db?.listCollections().toArray()) ?? []) {
      if (name.startsWith('system.')) continue
      const text = JSON.stringify(await db?.collection(name).find().toArray())
      expect(/48120987|4812098[78]/.test(text), name).to.equal(false)
    }
    expect(recorded.text).to.include('POST /admin/search')
    expect(recorded.text).not.match(/48(\D|%20){0,3}12(\D|%20){0,3}09(\D|%20){0,3}8[78]|٤٨|%D9%A4/)
  })

  it('allows each staff member 60 phone number searches an hour', async () => {
    const [one, other] = [await signedIn(service, 'support'), await signedIn(service, 'viewer')]
    const searchAs = async (by: typeof one, q: string) => (await by.act('/admin/search', { q })).status
    const lines = () =>
      service.deps.AuditEvent.countDocuments({ 'actor.name': one.name, act: 'payment.searched-by-phone' })
    await searchAs(one, '22999777')
    await service.deps.Counter.updateOne({ _id: `phone-search ${one.name}` }, { used: 58 })
    const statuses = await Promise.all(Array.from({ length: 5 }, () => searchAs(one, '22999777')))
    expect(statuses.toSorted((a, b) => a - b)).to.deep.equal([200, 200, 429, 429, 429])
    expect(await lines()).to.equal(3)
    expect([await searchAs(other, '22999777'), await searchAs(one, 'PI-000')]).to.deep.equal([200, 200])
    service.clock.advance(hourMs)
    expect(await searchAs(one, '22999777')).to.equal(200)
  })

  it("shows no result of a phone number search that can't be recorded in the audit trail", async () => {
    const intent = await createIntent(service, merchant)
    await pay(service, intent.referenceNumber, { phone: '22999888' })
    const refuse = { validator: { act: { $ne: 'payment.searched-by-phone' } } }
    await service.deps.mongo.db?.command({ collMod: 'auditevents', ...refuse })
    const { status, location, text } = await search('22999888')
    await service.deps.mongo.db?.command({ collMod: 'auditevents', validator: {} })
    expect([status, location, text.includes(intent.referenceNumber)]).to.deep.equal([503, null, false])
  })

  it('finds a phone number that was hashed with the previous SECRET_KEY', async () => {
    const intent = await createIntent(service, merchant)
    await simulate(service, merchant, intent.referenceNumber, { payerPhone: '33445566' })
    const { location } = await (await signedIn(rotated, 'support')).act('/admin/search', { q: '33445566' })
    expect(location).to.equal(pageOf(intent))
  })

  it("finds payments of all businesses by the merchant's reference, unless it looks like a phone number", async () => {
    const other = await service.merchant({ mode: 'live' })
    const ofBoth = (merchantReference: string) =>
      Promise.all([merchant, other].map((by) => createIntent(service, by, { amount: 1, merchantReference })))
    const [texts, numbers] = [await ofBoth('Nº <1042>'), await ofBoth('40012345')]
    const { text } = await search(' Nº <1042>\n')
    expect(listed(text)).to.have.members(texts.map(({ referenceNumber }) => referenceNumber))
    expect(readable(text)).to.include("2 results for the merchant's reference Nº <1042>.")
    expect(await staff.read(pageOf(texts[0] ?? expect.fail()))).to.include("Merchant's reference Nº <1042>")
    const byNumber = await search('40012345')
    expect(listed(byNumber.text)).to.have.members(numbers.map(({ referenceNumber }) => referenceNumber))
    expect(byNumber.text).to.include('40 ** ** 45').and.not.include('40012345')
    expect((await search('nº <1042>')).text).to.include('Nothing was found')
    expect((await search('x'.repeat(65))).status).to.equal(200)
  })

  it('finds payments by business, amount and the day they were created, attempted or paid', async () => {
    const shop = await service.merchant()
    const midnight = new Date(Math.ceil(service.clock.now().getTime() / dayMs) * dayMs)
    service.clock.freeze(new Date(midnight.getTime() - 60_000))
    scriptedWallet(service).setOutcome(() => ({ outcome: 'done' }))
    const before = await createIntent(service, shop, { amount: 123_450 })
    const unpaid = await createIntent(service, shop, { amount: 123_450 })
    service.clock.advance(120_000)
    staff = await signedIn(service, 'viewer')
    await pay(service, before.referenceNumber)
    const open = await createIntent(service, shop, { amountType: 'OPEN' })
    await pay(service, open.referenceNumber, { amount: 123_450 })
    await createIntent(service, shop, { amount: 123_451 })
    await createIntent(service, shop, { amountType: 'OPEN', amount: 123_450 })
    service.clock.advance(1000)
    const after = await createIntent(service, shop, { amount: 123_450 })
    const found = async (business: string, amount: string, day: string) =>
      listed((await byAmount(business, amount, day)).text)
    const expected = [after, open, before].map(({ referenceNumber }) => referenceNumber)
    expect(await found(shop.businessId, '1234.50', today())).to.deep.equal(expected)
    expect(await found(shop.businessId, '1 234,5 MRU', today())).to.deep.equal(expected)
    expect(await found('picer', '1234,50', today())).to.include.members(expected)
    const yesterday = toUtcDay(new Date(service.clock.now().getTime() - dayMs))
    const earlier = [before.referenceNumber, unpaid.referenceNumber]
    expect(await found(shop.businessId, '1234.50', yesterday)).to.have.members(earlier)
    expect((await byAmount(shop.businessId, '1234.51', today())).status).to.equal(303)
    expect(await found('no such business', '1234.50', today())).to.deep.equal([])
    for (const [business = '', amount = '', day = ''] of [
      ['x', '500', today()],
      [shop.businessId, 'five', today()],
      [shop.businessId, '1,500', today()],
      [shop.businessId, '500', '2026-02-30'],
      [shop.businessId, '500', `${today()}T10:00`],
    ])
      expect((await byAmount(business, amount, day)).status, `${business} ${amount} ${day}`).to.equal(400)
  })

  it('reads intents by index, with a result limit and a time limit', async () => {
    const operations = await profiled(service, async () => {
      for (const query of ['AB2345', '234567', '22000001', 'RF-NONE', 'b'.repeat(24), '40012345'])
        expect((await search(query)).status).to.equal(200)
      expect((await byAmount(merchant.businessId, '0.01', today())).status).to.equal(200)
    })
    const reads = operations.filter(({ ns }) => ns.endsWith('.intents'))
    expect(reads.length).to.be.at.least(16)
    for (const { command, planSummary } of reads) {
      expect(planSummary, JSON.stringify(command)).to.match(/^IXSCAN/)
      expect(command).to.include.keys('limit', 'maxTimeMS', 'hint')
    }
  })
})
