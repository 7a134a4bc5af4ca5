import { Broken, NotTested, rules } from './broken.ts'
import type { Reply } from './requests.ts'

export interface Transfer {
  kind: 'payment' | 'refund'
  amount: number
  fee: number
  /** The customer's, even for a refund. */
  phone: string
  /** Whether the provider has reported it as anything but unknown. */
  isKnown: boolean
  /** The last response to a POST. */
  posted: Reply | null
  final: { status: string } | null
}

/** In centimes. Null if the kit can't see balances. */
export type BalanceOf = ((phone: string) => Promise<number>) | null

/** Each wallet's balance before the first request to it. */
type Noted = Map<string, Promise<number>>

export function createMoney(balanceOf: BalanceOf, unknownPhone: string | undefined) {
  const first: Noted = new Map()
  const windows = new Set([first])

  async function read(phone: string): Promise<number> {
    if (balanceOf === null) throw new NotTested('the scenario has no `balance`')
    return balanceOf(phone).catch(({ message }: Error) => {
      throw new NotTested(`\`balance\` failed for ${phone}: ${message.split('\n')[0]}`)
    })
  }

  return {
    first,
    read: balanceOf === null ? null : read,

    open(): Noted {
      const noted: Noted = new Map()
      windows.add(noted)
      return noted
    },
    close: (noted: Noted): unknown => windows.delete(noted),

    async note(phone: string): Promise<void> {
      if (balanceOf === null || phone === unknownPhone) return
      const missing = [...windows].filter((noted) => !noted.has(phone))
      const balance = missing.length > 0 ? read(phone) : null
      if (balance !== null) for (const noted of missing) noted.set(phone, balance)
      try {
        for (const noted of windows) await noted.get(phone)
      } catch (error) {
        for (const noted of missing) noted.delete(phone)
        throw error
      }
    },

    /** What is wrong with each wallet, by its phone. */
    async compare(noted: Noted, transfers: readonly Transfer[]): Promise<Map<string, Broken>> {
      const faults = new Map<string, Broken>()
      for (const [phone, balance] of noted) {
        const change = (await read(phone)) - (await balance)
        const own = transfers.filter((each) => each.phone === phone)
        const fault = faultOf(phone, change, own)
        if (fault !== null) faults.set(phone, fault)
      }
      return faults
    },
  }
}

const effectOf = ({ kind, amount, fee }: Transfer): number => (kind === 'payment' ? -1 : 1) * (amount + fee)
const hasSucceeded = ({ final }: Transfer): boolean => final?.status === 'succeeded'

/** A request that is still pending may or may not have moved money. */
function possibleChanges(transfers: readonly Transfer[]): number[] {
  let sums = [0]
  for (const each of transfers) {
    const effect = effectOf(each)
    if (hasSucceeded(each)) sums = sums.map((sum) => sum + effect)
    else if (each.final === null && each.isKnown)
      sums = [...new Set(sums.flatMap((sum) => [sum, sum + effect]))]
  }
  return sums
}

function faultOf(phone: string, change: number, transfers: readonly Transfer[]): Broken | null {
  const possible = possibleChanges(transfers)
  if (possible.includes(change)) return null
  const sent = transfers.filter(({ posted }) => posted !== null)
  const why = `The wallet ${phone} changed by ${change} centimes instead of ${possible.join(' or ')}`
  // A request without an outcome is one that must not be carried out.
  const rule = sent.some(({ final }) => final === null) ? null : rules.money
  const excess = change - (possible[0] ?? 0)
  const timesOf = (each: Transfer): number => Number(hasSucceeded(each)) + excess / effectOf(each)
  const guilty = sent.filter((each) => Number.isInteger(timesOf(each)) && timesOf(each) >= 0)
  const [one] = guilty
  if (possible.length > 1 || guilty.length > 1 || one === undefined) return new Broken(why, null, rule)
  const times = timesOf(one)
  const moved = `${why}: the money moved ${times} times`
  return new Broken(moved, one.posted, rule !== null && times > 1 ? rules.once : rule)
}
