import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatCentimes } from '../../schemas/currency.ts'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { newId } from '../../src/platform/ids.ts'
import { dayMs, toUtcDay } from '../../src/platform/time.ts'
import type { ReconciliationResult } from '../../src/reconciliation/reconcile.ts'
import { createIntent } from '../support/actions.ts'
import { temporaryFolder } from '../support/built.ts'
import { pay, refund, storedIntent } from '../support/pay.ts'
import { asSpecified, requestLost, responseLost, send, startProvider } from '../support/provider.ts'
import { payer } from '../support/provider-books.ts'
import { withMerchant, withService } from '../support/service.ts'
import { withOpened } from '../support/with.ts'
import { type Outcome, openAdmin } from './admin.ts'
import { signedIn } from './staff.ts'

const startOfDay = new Date(Math.floor(Date.now() / dayMs - 2) * dayMs)
const day = toUtcDay(startOfDay)
const dayBefore = toUtcDay(new Date(startOfDay.getTime() - dayMs))
type Listed = { key: string; kind: string; amount: number; fee: number; time: string }

describe('npm run admin -- reconcile', () => {
  const provider = withOpened(startProvider, ({ close }) => close())
  const service = withService(() => ({ ...provider.environment, COMMISSION_PAYER_BPS: '150' }))
  const merchant = withMerchant(service, { mode: 'live' })
  const folder = temporaryFolder()
  before(() => {
    provider.setClock(service.clock.now)
    provider.wallets.set(payer.phone, { pin: payer.pin, balance: 1_000_000_000 })
  })

  const at = (ms: number) => service.clock.freeze(new Date(startOfDay.getTime() + ms))

  async function payNow(amount: number): Promise<Listed & { reference: string }> {
    const { referenceNumber: reference } = await createIntent(service, merchant, { amount })
    await pay(service, reference, { ...payer, amount })
    const { payment, hold } = await storedIntent(service, reference)
    const key = payment?.key ?? hold?.id ?? expect.fail('not paid')
    const time = service.clock.now().toISOString()
    return { key, kind: 'payment', amount, fee: payment?.commission.payerTtc ?? 0, time, reference }
  }

  async function refundNow({ reference }: { reference: string }, amount: number): Promise<Listed> {
    const { status, body } = await refund(service, merchant, reference, amount)
    expect(status, JSON.stringify(body)).to.equal(200)
    const { refunds } = await storedIntent(service, reference)
    const { id: key, returnedFees } = refunds.at(-1) ?? expect.fail('not refunded')
    const time = service.clock.now().toISOString()
    return { key, kind: 'refund', amount, fee: returnedFees.payerTtc, time }
  }

  async function fileOf(name: string, text: string): Promise<{ path: string; sha256: string }> {
    const path = join(folder, name)
    await writeFile(path, text)
    return { path, sha256: createHash('sha256').update(text).digest('hex') }
  }

  const run = (path: string, ...options: string[]): Promise<Outcome> =>
    openAdmin(service).here('reconcile', '--provider', path, '--day', day, ...options)

  it('finds every kind of difference, and stores them for the staff pages', async () => {
    at(-1)
    const early = await payNow(10_000)
    at(0)
    const matched = await payNow(123_456_700)
    at(dayMs / 2)
    const [amountDiffers, feeDiffers] = [await payNow(20_000), await payNow(30_000)]
    const [notListed, kindDiffers] = [await payNow(40_000), await payNow(50_000)]
    const returned = await refundNow(matched, 700)
    const lateRefund = await refundNow(early, 300)
    provider.handleOrders(responseLost)
    provider.handleQueries(requestLost)
    const unknownHere = await payNow(60_000)
    provider.handleOrders(asSpecified)
    provider.handleQueries(asSpecified)
    at(dayMs - 1)
    const last = await payNow(70_000)
    at(dayMs)
    const nextDay = await payNow(80_000)
    const sandbox = await createIntent(service, await service.merchant())
    at(dayMs / 2)
    await pay(service, sandbox.referenceNumber)
    const { payment: testPayment } = await storedIntent(service, sandbox.referenceNumber)
    /** A provider doesn't know the keys of test payments, so this one counts as unknown. */
    const testKey = testPayment?.key ?? expect.fail('not paid')
    service.clock.freeze(null)
    const time = `${day} 12:00`
    const rows: Listed[] = [
      matched,
      { ...amountDiffers, amount: 20_001 },
      { ...feeDiffers, fee: feeDiffers.fee + 1 },
      { ...kindDiffers, kind: 'Refund' },
      { ...returned, time: day },
      lateRefund,
      unknownHere,
      { ...nextDay, time },
      { key: testKey, kind: 'payment', amount: 5, fee: 0, time },
      last,
      last,
      { ...early, time },
    ]
    const french = (amount: number): string =>
      formatCentimes(amount)
        .replace('.', ',')
        .replaceAll(/\B(?=(\d{3})+,)/g, '\u202f')
    const lines = rows.map(({ key, kind, amount, fee, time: when }) =>
      ['', `"${key}"`, kind, french(amount), french(fee), when].join(';'),
    )
    const text = `\ufeffnote;ref;kind;montant;frais;date\r\n${lines.join('\r\n')}\r\n`
    const { path, sha256 } = await fileOf('extrait.csv', text)
    const options = ['--decimal', '--columns', 'key=ref,amount=montant,fee=frais,time=date']
    const { exitCode, stdout, stderr } = await run(path, ...options, '--json')
    expect([exitCode, stderr]).to.deep.equal([1, ''])
    const result = JSON.parse(stdout) as ReconciliationResult & { day: string; file: string }
    const { businessId } = merchant
    const known = ({ key, reference }: { key: string; reference: string }) => {
      return { key, kind: 'payment', reference, businessId }
    }
    const foreign = { key: testKey, reference: null, businessId: null }
    const differences = [
      { difference: 'other amount', ...known(amountDiffers), here: 20_000, there: 20_001, line: 3 },
      { difference: 'other fee', ...known(feeDiffers), here: 450, there: 451, line: 4 },
      { difference: 'other kind', ...known(kindDiffers), here: 'payment', there: 'refund', line: 5 },
      { difference: 'missing here', ...known(unknownHere), here: null, there: 60_000, line: 8 },
      { difference: 'other day', ...known(nextDay), here: nextDay.time.slice(0, 10), there: day, line: 9 },
      { difference: 'missing here', ...foreign, kind: 'payment', here: null, there: 5, line: 10 },
      { difference: 'repeated there', ...known(last), here: 70_000, there: 70_000, line: 12 },
      { difference: 'other day', ...known(early), here: dayBefore, there: day, line: 13 },
      { difference: 'missing there', ...known(notListed), here: 40_000, there: null, line: null },
    ]
    const shared = { 'other amount': 1, 'other fee': 1, 'other day': 2, 'other kind': 1, 'repeated there': 1 }
    const byKind = { 'missing here': 2, 'missing there': 1, ...shared }
    const counts = { rows: 12, recorded: 8, matched: 4, differences: byKind }
    const { id } = result
    expect(result).to.deep.equal({ id, sha256, counts, differences, day, file: 'extrait.csv' })
    const stored = await service.deps.Reconciliation.findById(id).orFail().lean()
    const { actor } = stored
    expect(actor.kind).to.equal('operator')
    const kept = { day, wallet: null, fileName: 'extrait.csv', sha256, counts, differences }
    expect(stored).to.deep.include(kept)
    const audited = await service.deps.AuditEvent.find({ act: 'reconciliation.run' }).lean<AuditEvent[]>()
    const after = { day, file: 'extrait.csv', sha256, matched: 4, differences: 9 }
    expect(audited.map((line) => [line.subject, line.actor, line.after])).to.deep.equal([[id, actor, after]])
    const table = await run(path, ...options)
    expect(table.exitCode).to.equal(1)
    expect(table.stdout).to.match(/^other day +\S+ +payment +2\S+ +2\S+ +13 +PI-/m)
    expect(table.stdout).to.match(/^matched +4$/m)
    const viewer = await signedIn(service, 'viewer')
    const list = await viewer.get('/admin/reconciliations')
    expect(list.text).to.include(`href="/admin/reconciliations/${id}"`).and.include('9 differences')
    const page = await viewer.get(`/admin/reconciliations/${id}`)
    expect(page.text).to.include(`href="/admin/payments/${notListed.reference}"`).and.include('200.01 MRU')
    expect(page.text.match(/data-label="Difference"/g)).to.have.length(9)
    const wrong = ['0'.repeat(24), 'x', `${id}?start=-1`, `${id}?start=9999`]
    const statuses = wrong.map(async (each) => (await viewer.get(`/admin/reconciliations/${each}`)).status)
    expect(await Promise.all(statuses)).to.deep.equal([404, 404, 200, 200])
    const rest = [matched, amountDiffers, feeDiffers, notListed, kindDiffers, returned, lateRefund, last]
    const exact = rest.map(({ key, amount, time: when }) => `${key}\t${amount}\t${when}`)
    const complete = await fileOf('exact.csv', ['key\tamount\ttime', ...exact].join('\n'))
    const equal = await run(complete.path, '--json')
    expect([equal.exitCode, equal.stderr]).to.deep.equal([0, ''])
    expect(JSON.parse(equal.stdout).counts).to.include({ rows: 8, recorded: 8, matched: 8 })
    const otherWallet = await run(complete.path, '--json', '--wallet', 'another')
    expect(JSON.parse(otherWallet.stdout).counts.differences['missing here']).to.equal(8)
  })

  it('matches a payment and all its refunds by key, however many refunds failed before', async () => {
    at(dayMs)
    const paid = await payNow(100_000)
    const inOrder = async (statuses: number[]) => {
      for (const status of statuses)
        expect((await refund(service, merchant, paid.reference, 1)).status).to.equal(status)
    }
    // The state after 200 failed refunds.
    const failed = Array.from({ length: 200 }, () => newId())
    const filter = { referenceNumber: paid.reference }
    await service.deps.Intent.updateOne(filter, { $push: { lookUpKeys: { $each: failed } } })
    const { lookUpKeys: before = [] } = await storedIntent(service, paid.reference)
    provider.handleOrders((res, _, { key }) => send(res, { status: 200, body: { key, status: 'declined' } }))
    await inOrder([402])
    provider.handleOrders(asSpecified)
    await inOrder([200, 200])
    service.clock.freeze(null)
    const { refunds, lookUpKeys = [] } = await storedIntent(service, paid.reference)
    const keys = [paid.key, ...refunds.map(({ id }) => id)]
    const text = ['key,amount,time', ...keys.map((key) => `${key},1,${day}`)].join('\n')
    const { path } = await fileOf('many.csv', text)
    const { differences } = JSON.parse((await run(path, '--json')).stdout).counts
    expect([differences['missing here'], differences['other day']]).to.deep.equal([0, keys.length])
    expect(lookUpKeys, 'those of failed refunds are limited').to.deep.equal([...before, ...keys.slice(1)])
  })

  it("reads what spreadsheets and old programs make of a provider's file", async () => {
    const rows = [
      ';;;;;',
      'REF;Kind;Montant;FEE;Date;',
      'k1;payment;+1 234,50;;25/11/2026 9:05;',
      'k2;refund;(10,00);+0,50;25/11/2026 09:05',
      ' ; ;;;;',
      'k3;refund;\u22125,00;0;25/11/2026 23:59;',
      ';;;;',
    ]
    const options = ['--decimal', '--columns', 'key=ref,amount=montant,time=date', '--json']
    const form = ['--time-format', 'DD/MM/YYYY HH:mm', '--day', '2026-11-25']
    const { path } = await fileOf('excel.csv', `${rows.join('\r\n')}\r\n\u001A`)
    const { exitCode, stdout, stderr } = await run(path, ...options, ...form)
    expect([exitCode, stderr]).to.deep.equal([1, ''])
    const { differences } = JSON.parse(stdout) as ReconciliationResult
    const found = differences.filter(({ difference }) => difference === 'missing here')
    expect(found.map(({ key, kind, there, line }) => [key, kind, there, line])).to.deep.equal([
      ['k1', 'payment', 123_450, 3],
      ['k2', 'refund', 1_000, 4],
      ['k3', 'refund', 500, 6],
    ])
    const faulty = ['(-5,00)', '-(5,00)', '--5', '(5'].map(
      (amount) => `k;refund;${amount};0;25/11/2026 9:05;`,
    )
    const wrong = await fileOf('signs.csv', [rows[1], ...faulty].join('\n'))
    const refused = await run(wrong.path, ...options, ...form)
    expect(refused.stderr.match(/amount: must be/g)).to.have.length(faulty.length)
    const shortened = await fileOf('short.csv', `key,amount,time\n6.2E+12,1,${day}\n"6,2E+12",1,${day}`)
    expect((await run(shortened.path)).stderr.match(/a spreadsheet shortened it/g)).to.have.length(2)
    expect((await run(wrong.path, ...form.with(1, 'DD/MM'))).stderr).to.include('Must have YYYY, MM and DD')
  })

  it('exits with 2 and names the invalid lines if the input is invalid', async () => {
    const { deps } = service
    const runs = await deps.Reconciliation.countDocuments()
    const wrongLines = `\nk2,1.5,${day}\nk3,100,yesterday\n+22244556677,1,${day}\nk5,1\nk6,7,${day}`
    const faulty = await fileOf('faulty.csv', `key,amount,time\nk1,100,${day}\n${wrongLines}`)
    const { exitCode, stdout, stderr } = await run(faulty.path)
    expect([exitCode, stdout]).to.deep.equal([2, ''])
    const faults = ['Line 4', 'Line 5', 'Line 6', 'Line 7', '4 rows are faulty', '']
    expect(stderr.split('\n').map((line) => line.replace(/[:;.,].*/, ''))).to.deep.equal(faults)
    expect(stderr).to.not.include('22244556677')
    const texts = {
      'is empty': '',
      'no column "amount"': `key;montant;time\n1;2;3`,
      'two columns named "key"': 'key,key,amount,time',
      'not UTF-8': Buffer.from('key,amount,time\n\xe9', 'latin1'),
      'The file is UTF-16': Buffer.from('\ufeffkey,amount,time', 'utf16le'),
      'not valid CSV': `key,amount,time\n"k,1,${day}`,
    }
    for (const [message, text] of Object.entries(texts)) {
      const path = join(folder, 'wrong.csv')
      await writeFile(path, text)
      const outcome = await run(path)
      expect(outcome.stderr, message).to.include(message)
      expect(outcome.exitCode, message).to.equal(2)
    }
    expect(await run(join(folder, 'no-such-file.csv'))).to.deep.include({ exitCode: 2, stdout: '' })
    const usage = ['--provider', faulty.path, '--columns', 'key=ref,total=montant', '--day']
    for (const each of ['2026-02-30', '2999-01-01'])
      expect((await openAdmin(service).admin(['reconcile', ...usage, each])).exitCode).to.equal(2)
    expect(await deps.Reconciliation.countDocuments()).to.equal(runs)
  })
})
