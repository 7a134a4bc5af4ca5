import { readCsvForm } from '../../schemas/delimiter.ts'
import * as entries from '../../src/ledger/entry.ts'
import * as statements from '../../src/ledger/statement.ts'
import type { Refusal } from '../../src/platform/errors.ts'

const owner = { businessId: 'b', sandbox: true }
const noon = (day: number, month = 11): Date => new Date(Date.UTC(2026, month - 1, day, 12))
const day = (number: number): string => `2026-11-${String(number).padStart(2, '0')}`

function ledgerOf(payments: Record<number, number>, today: Date) {
  const chain: entries.LedgerEntry[] = []
  const pay = (at: number, amount: number): void => {
    const draft = { _id: `${at}`, type: 'payment', amount, day: day(at) } as const
    chain.push(...entries.linkLedgerEntry(owner, chain.at(-1) ?? null, draft, noon(at)))
  }
  for (const [at, amount] of Object.entries(payments)) pay(Number(at), amount)
  const ledger = { closings: 0, chain, pay, beforeLast: () => undefined as unknown }
  type Filter = typeof owner & { through: { $gte: string } }
  const find = ({ through, ...of }: Filter, { limit }: { limit: number }) => {
    expect(of).to.deep.equal(owner)
    const found = chain.filter((each) => each.through !== undefined && each.through >= through.$gte)
    return { toArray: async () => found.slice(0, limit) }
  }
  const findOne = async (): Promise<entries.LedgerEntry | null> => {
    ledger.beforeLast()
    return chain.at(-1) ?? null
  }
  const closeDays = async (): Promise<void> => {
    ledger.closings += 1
    const marker = entries.linkClosingMarker(owner, chain.at(-1) ?? null, today)
    if (marker !== null) chain.push(marker)
  }
  const deps = { LedgerEntry: { collection: { find, findOne } }, batchers: { closeDays }, now: () => today }
  return { ...ledger, ledger, deps: deps as unknown as Parameters<typeof statements.readDayStatements>[0] }
}

const quiet = (at: number, balance: number, closed = true) => {
  return { day: day(at), opening: balance, ...entries.createZeroTotals(), closing: balance, closed }
}
const paid = (at: number, opening: number, amount: number, closed = true) => {
  return { ...quiet(at, opening, closed), payments: { count: 1, amount }, closing: opening + amount }
}
const faultOf = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    const { code, extras, message } = error as Refusal
    return `${code} ${extras.param} ${message}`
  }
}

describe('The query for daily statements', () => {
  type Deps = ReturnType<typeof ledgerOf>['deps']
  const november = (deps: Deps) => statements.readMonthStatements(deps, owner, '2026-11')
  const daysIn = (deps: Deps, ...days: number[]) => statements.readDayStatements(deps, owner, days.map(day))

  it('shows each day of a month up to today, closed except for today', async () => {
    const { deps, ledger } = ledgerOf({ 2: 500, 4: 100 }, noon(6))
    const expected = [quiet(1, 0), paid(2, 0, 500), quiet(3, 500), paid(4, 500, 100), quiet(5, 600)]
    expect(await november(deps)).to.deep.equal([...expected, quiet(6, 600, false)])
    expect(ledger.closings).to.equal(1)
    expect(await statements.readMonthStatements(deps, owner, '2026-11')).to.have.lengthOf(6)
    expect(ledger.closings).to.equal(1)
  })

  it('shows all days of an earlier month, and none of a later one', async () => {
    const { deps } = ledgerOf({ 2: 500 }, noon(6))
    const october = await statements.readMonthStatements(deps, owner, '2026-10')
    expect(october.map((each) => each.day)).to.have.lengthOf(31)
    expect(october.at(-1)).to.deep.equal({ ...quiet(1, 0), day: '2026-10-31' })
    expect(await statements.readMonthStatements(deps, owner, '2026-12')).to.deep.equal([])
    const first = ledgerOf({}, new Date('2026-11-01T00:00:00Z'))
    expect(await november(first.deps)).to.deep.equal([quiet(1, 0, false)])
  })

  it('shows what was booked today without closing the day', async () => {
    const { deps, ledger } = ledgerOf({ 5: 100, 6: 20 }, noon(6))
    expect(await statements.readStatement(deps, owner, day(6))).to.deep.equal(paid(6, 100, 20, false))
    expect(ledger.closings).to.equal(0)
    expect(await daysIn(deps, 5, 6)).to.deep.equal([paid(5, 0, 100), paid(6, 100, 20, false)])
    expect(ledger.closings).to.equal(0)
  })

  it('closes yesterday if nothing has been booked since', async () => {
    const { deps, ledger } = ledgerOf({ 5: 100 }, noon(6))
    expect(await statements.readStatement(deps, owner, day(5))).to.deep.equal(paid(5, 0, 100))
    expect(ledger.closings).to.equal(1)
    const other = ledgerOf({ 5: 100 }, noon(6))
    expect(await daysIn(other.deps, 5, 6)).to.deep.equal([paid(5, 0, 100), quiet(6, 100, false)])
    expect(other.ledger.closings).to.equal(1)
  })

  it('returns zeros for an empty ledger', async () => {
    const { deps } = ledgerOf({}, noon(6))
    expect(await statements.readStatement(deps, owner, day(6))).to.deep.equal(quiet(6, 0, false))
    expect(await statements.readDayStatements(deps, owner, [])).to.deep.equal([])
    expect(await statements.getLedgerBalance(deps, owner)).to.equal(0)
  })

  it('shows a day as closed if another process books an entry for the next day in the meantime', async () => {
    const { deps, ledger } = ledgerOf({ 6: 20 }, noon(6))
    ledger.beforeLast = () => ledger.chain.length === 1 && ledger.pay(7, 5)
    expect(await statements.readStatement(deps, owner, day(6))).to.deep.equal(paid(6, 0, 20))
    expect(await statements.getLedgerBalance(deps, owner)).to.equal(25)
  })

  it('shows a past day even if no closing marker was written', async () => {
    const { deps } = ledgerOf({ 4: 100, 6: 20 }, noon(6))
    Object.assign(deps.batchers, { closeDays: async () => undefined })
    expect(await statements.readStatement(deps, owner, day(6))).to.deep.equal(paid(6, 100, 20, false))
    const empty = ledgerOf({}, noon(6))
    Object.assign(empty.deps.batchers, { closeDays: async () => undefined })
    expect(await statements.readStatement(empty.deps, owner, day(5))).to.deep.equal(quiet(5, 0))
    const late = ledgerOf({ 5: 100 }, noon(6))
    Object.assign(late.deps.batchers, { closeDays: async () => undefined })
    expect(await daysIn(late.deps, 4, 5)).to.deep.equal([quiet(4, 0), paid(5, 0, 100)])
    expect(await statements.readStatement(late.deps, owner, day(6))).to.deep.equal(quiet(6, 100, false))
  })
})

describe('The date range of a statement', () => {
  const deps = { now: () => noon(6) }

  it('may contain days from 2000 to today', () => {
    for (const each of ['2000-01-01', '2026-11-05', '2026-11-06'])
      expect(statements.parseStatementDay(deps, each)).to.equal(each)
    const words = 'day must be a date from 2000-01-01 to today in UTC, such as 2026-11-26.'
    for (const at of ['1999-12-31', '2026-11-07', '2026-02-30', '2026-11-05T00:00:00Z', '2026-1-1', ''])
      expect(faultOf(() => statements.parseStatementDay(deps, at))).to.equal(`VALIDATION_ERROR day ${words}`)
  })

  it('may be any month up to the current one, which is the default', () => {
    expect(statements.parseStatementMonth(deps, {})).to.equal('2026-11')
    for (const month of ['2025-12', '2026-11'])
      expect(statements.parseStatementMonth(deps, { month })).to.equal(month)
    const fault = 'VALIDATION_ERROR month month must not be later than the current month in UTC.'
    expect(faultOf(() => statements.parseStatementMonth(deps, { month: '2026-12' }))).to.equal(fault)
  })
})

describe('A CSV file of statements', () => {
  const totals = {
    payments: { count: 1, amount: 500 },
    refunds: { count: 2, amount: 201 },
    fees: { amount: 6 },
    payouts: { count: 3, amount: 102 },
  }
  const statement = { day: day(2), opening: 10, ...totals, closing: 201, closed: true }

  it('has a row per day, with amounts as decimals and in centimes', () => {
    const csv = statements.formatStatementsCsv([statement, quiet(3, 201, false)], readCsvForm({}))
    expect(csv.split('\r\n')).to.deep.equal([
      'Statement day,Closed,Currency,Number of payments,Number of refunds,Number of payouts,' +
        'Opening,Payments,Refunds,Fees,Payouts,Closing,Opening (centimes),Payments (centimes),' +
        'Refunds (centimes),Fees (centimes),Payouts (centimes),Closing (centimes)',
      '"2026-11-02","true","MRU",1,2,3,0.10,5.00,2.01,0.06,1.02,2.01,10,500,201,6,102,201',
      '"2026-11-03","false","MRU",0,0,0,2.01,0.00,0.00,0.00,0.00,2.01,201,0,0,0,0,201',
      '',
    ])
    const semicolons = statements.formatStatementsCsv([statement], readCsvForm({ delimiter: ';' }))
    expect(semicolons).to.include('1;2;3;0,10;5,00;2,01;0,06;1,02;2,01;10;500')
  })
})
