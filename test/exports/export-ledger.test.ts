import { parse } from 'csv-parse/sync'
import { ledgerExportKinds } from '../../schemas/ledger.ts'
import { expectRefused } from '../api/refused.ts'
import { createGate } from '../support/gate.ts'
import { bookMany, bookOne, difficultTexts, ledgerOf } from '../support/ledger.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const base = '/api/v1/dev/exports'
type Row = Record<string, string | number | null>

describe('A ledger export', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  beforeEach(() => service.clock.freeze(new Date('2027-03-10T12:00:00Z')))
  const owner = () => ({ businessId: merchant.businessId, sandbox: true })

  const get = (kind: string, query: Record<string, string> = {}, headers = merchant.read()) =>
    service.http.get(`${base}/${kind}`).query(query).set(headers).buffer(true)
  const textOf = async (...given: Parameters<typeof get>): Promise<string> =>
    (await get(...given).expect(200)).text
  const rowsOf = async (kind: string, query: Record<string, string> = {}): Promise<Row[]> =>
    (await textOf(kind, { ...query, format: 'jsonl' }))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Row)

  async function expected(kind: (typeof ledgerExportKinds)[number]): Promise<Row[]> {
    const entries = await ledgerOf(service, owner())
    return entries.flatMap((entry): Row[] => {
      const { position: number = 0, type, day, amount, commission, returnedFees } = entry
      const { referenceNumber = null, merchantReference = null, refundId = null } = entry
      const [bookedAt, occurredAt = null] = [entry.bookedAt, entry.occurredAt].map((at) => at?.toISOString())
      const times = { statementDay: bookedAt?.slice(0, 10) ?? '', day, bookedAt: bookedAt ?? '', occurredAt }
      const origin = { ...times, referenceNumber, merchantReference }
      if (kind === 'entries') {
        const references = { refundId, payoutReference: entry.payoutReference ?? null }
        const balance = entry.after.balance
        return [{ number, type, ...origin, ...references, currency: 'MRU', amount, balance }]
      }
      if (kind === 'payments' && type === 'payment' && commission !== undefined) {
        const { providerTtc, payerTtc, tof, tte } = commission
        const fees = { providerTtc, net: amount - providerTtc, payerTtc, tof, tte }
        return [{ number, ...origin, payerPhone: '22 ** ** 01', currency: 'MRU', amount, ...fees }]
      }
      if (kind === 'refunds' && type === 'refund' && returnedFees !== undefined) {
        const returned = {
          returnedProviderTtc: returnedFees.providerTtc,
          returnedPayerTtc: returnedFees.payerTtc,
        }
        const about = { refundId, reason: entry.reason ?? null }
        return [{ number, ...origin, ...about, currency: 'MRU', amount: -amount, ...returned }]
      }
      return []
    })
  }

  it("contains exactly the ledger's payments, refunds or entries, in CSV and in JSON lines", async () => {
    await bookMany(service, owner(), 126)
    for (const kind of ledgerExportKinds) {
      const wanted = await expected(kind)
      expect(wanted.length).to.be.greaterThan(125)
      expect(await rowsOf(kind)).to.deep.equal(wanted)
      for (const [delimiter, point] of [
        ['comma', '.'],
        ['semicolon', ','],
      ] as const) {
        const text = await textOf(kind, { delimiter })
        const [, ...rows] = parse(text, { delimiter: point === ',' ? ';' : ',', bom: true })
        expect(rows).to.have.length(wanted.length)
        rows.forEach((cells, at) => {
          const values = Object.values(wanted[at] ?? {})
          const amountsFrom = values.indexOf('MRU') + 1
          const isRight = (cell: string, index: number): boolean => {
            const value = values[index]
            if (index >= amountsFrom)
              return (
                (point === ',' ? /^-?\d+,\d\d$/ : /^-?\d+\.\d\d$/).test(cell) &&
                Math.round(Number(cell.replace(',', '.')) * 100) === value
              )
            if (typeof value === 'string' && difficultTexts.slice(0, 8).includes(value))
              return cell.replaceAll("'", '') === value && /^'|\n/.test(cell)
            return cell === String(value ?? '')
          }
          const wrong = cells.slice(0, values.length).filter((cell, index) => !isRight(cell, index))
          const centimes = cells.slice(values.length)
          if (wrong.length > 0 || String(centimes) !== String(values.slice(amountsFrom)))
            expect.fail(`wrong: ${String(wrong)}, or the centimes in ${String(cells)}`)
        })
      }
    }
  })

  it('names its columns in English, French or Arabic', async () => {
    const header = async (query: Record<string, string>) => (await textOf('refunds', query)).trimEnd()
    expect(await header({})).to.equal(
      'Number,Statement day,Day of refund,Booked at,Occurred at,Reference number,Merchant reference,Refund ID,Reason,Currency,Amount,' +
        'Returned merchant fee,Returned payer fee,Amount (centimes),Returned merchant fee (centimes),' +
        'Returned payer fee (centimes)',
    )
    const french = await header({ language: 'fr', delimiter: 'semicolon' })
    expect(french).to.match(
      /^\uFEFFNuméro;Jour du relevé;Date de remboursement;Comptabilisé le;.*;Montant \(centimes\);/,
    )
    expect(await header({ language: 'ar', delimiter: ';' })).to.match(
      /^\uFEFFالرقم;يوم كشف الحساب;يوم الاسترداد;.*;المبلغ \(سنتيم\);/,
    )
    const { headers } = await get('refunds', { format: 'jsonl' }).expect(200, '')
    expect(headers).to.include({
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="refunds.jsonl"',
    })
  })

  it('names entry types in the language of the CSV file', async () => {
    await bookMany(service, owner(), 126)
    const english = (await rowsOf('entries')).map(({ type }) => String(type))
    expect([...new Set(english)].toSorted()).to.deep.equal(['fee', 'payment', 'payout', 'refund'])
    for (const [language, payment, refund, fee, payout] of [
      ['en', 'payment', 'refund', 'fee', 'payout'],
      ['fr', 'paiement', 'remboursement', 'frais', 'versement'],
      ['ar', 'دفع', 'استرداد', 'رسوم', 'تحويل'],
    ] as const) {
      const names: Record<string, string> = { payment, refund, fee, payout }
      const [, ...rows] = parse(await textOf('entries', { language }))
      expect(rows.map((cells) => cells[1])).to.deep.equal(english.map((type) => names[type]))
    }
  })

  it('covers whole UTC days by bookedAt, as statements do', async () => {
    const times = '09T23:59:59.999 10T00:00:00.000 10T23:59:59.999 11T00:00:00.000 11T08:00:00.000'
    for (const [index, time] of times.split(' ').entries()) {
      service.clock.freeze(new Date(`2027-03-${time}Z`))
      await bookOne(service, owner(), 'payment', 1_000 + index)
    }
    const amounts = async (query: Record<string, string>) =>
      (await rowsOf('payments', query)).map(({ amount }) => amount)
    expect(await amounts({ from: '2027-03-10', to: '2027-03-10' })).to.deep.equal([1_001, 1_002])
    expect(await amounts({ to: '2027-03-09' })).to.deep.equal([1_000])
    expect(await amounts({ from: '2027-03-11T00:00:00.001Z', to: '2099-01-01' })).to.deep.equal([1_004])
    expect(await amounts({ from: '2027-03-12' })).to.deep.equal([])
    const closing = await service.deps.LedgerEntry.findOne({ ...owner(), through: '2027-03-10' }).lean()
    const day = await rowsOf('entries', { from: '2027-03-10', to: '2027-03-10' })
    expect(day.at(-1)?.balance).to.equal(closing?.closed?.closing)
    expect(closing?.closed?.payments).to.deep.equal({ count: 2, amount: 2_003 })
  })

  it('can be continued after any entry without a second header row', async () => {
    await bookMany(service, owner(), 2)
    const forms: Record<string, string>[] = [{ format: 'jsonl' }, { delimiter: 'semicolon' }]
    for (const kind of ledgerExportKinds)
      for (const query of kind === 'payments' ? forms : forms.slice(1)) {
        const whole = await textOf(kind, query)
        const all = (await expected(kind)).map(({ number }) => Number(number))
        const numbers = [all[0], all[1], all.at(-1)]
        const parts = await Promise.all(
          numbers.map((number) => textOf(kind, { ...query, after: String(number) })),
        )
        const lengths = parts.map((part) => part.length)
        expect(lengths).to.deep.equal(lengths.toSorted((a, b) => b - a))
        for (const part of parts) expect(whole.endsWith(part)).to.equal(true)
        expect(parts.at(-1)).to.equal('')
        const first = await textOf(kind, { ...query, after: '0' })
        expect(whole.slice(0, whole.length - first.length).includes('\n')).to.equal(
          query.format === undefined,
        )
      }
    const outside = await textOf('payments', { from: '2027-03-11', after: '1' })
    expect([outside, await textOf('payments', { after: '999999999999999' })]).to.deep.equal(['', ''])
  })

  it('excludes entries that are booked after it has begun', async () => {
    await bookMany(service, owner(), 130)
    const before = await textOf('entries')
    const { lists } = service.deps
    const { run } = lists
    let reads = 0
    lists.run = async (name, ...rest) => {
      if ((reads += 1) === 2) await bookOne(service, owner(), 'payment', 1)
      return run(name, ...rest)
    }
    const during = await textOf('entries').finally(() => Object.assign(lists, { run }))
    expect(reads).to.equal(6)
    expect(during).to.equal(before)
    expect(await rowsOf('entries', { after: '521' })).to.have.length(2)
  })

  it('returns 400 VALIDATION_ERROR for an invalid parameter', async () => {
    const wrong: [param: string, query: string][] = [
      ...['xlsx', ''].map((text): [string, string] => ['format', `format=${text}`]),
      ...['-1', '1.5', ''].map((text): [string, string] => ['after', `after=${text}`]),
      ['delimiter', 'delimiter=%09'],
      ['language', 'language=de'],
      ['from', 'from=2027-13-01'],
      ['from', 'from=2027-03-02&to=2027-03-01'],
      ['page', 'page=1'],
      ['delimiter', 'format=jsonl&delimiter=comma'],
      ['language', 'format=jsonl&language=en'],
      ['bom', 'bom=yes'],
      ['bom', 'format=jsonl&bom=true'],
    ]
    for (const [param, query] of wrong)
      await expectRefused(get(`payments?${query}`), 400, 'VALIDATION_ERROR', { param })
  })

  it('stops when its client disconnects', async () => {
    await bookMany(service, owner(), 65)
    const { lists, capacity } = service.deps
    await waitFor('the exports of earlier tests have ended', () => capacity.used().exports === 0)
    const [{ run }, gate] = [lists, createGate()]
    let reads = 0
    lists.run = async (name, ...rest) => {
      if ((reads += 1) === 3) await gate.passed
      return run(name, ...rest)
    }
    const stop = new AbortController()
    const response = await fetch(`${service.origin}${base}/entries`, {
      headers: merchant.read(),
      signal: stop.signal,
    })
    await response.body?.getReader().read()
    expect(capacity.used().exports).to.equal(1)
    stop.abort()
    // The service notices the disconnect before the second of these requests.
    for (const _ of [1, 2]) await service.http.get('/healthz').expect(200)
    gate.open()
    await waitFor('the export has ended', () => capacity.used().exports === 0)
    expect(reads).to.be.within(2, 3)
    lists.run = run
  })
})
