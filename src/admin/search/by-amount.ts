import type { Business } from '../../businesses/business.ts'
import { findBusinessesByName, lookUpBusiness } from '../../businesses/list-businesses.ts'
import { readAmount } from '../../checkout/read-amount.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { readInstant } from '../../input/instant.ts'
import { readName } from '../../input/name.ts'
import { searchByAmount } from '../../intents/search.ts'
import { isId } from '../../security/ids.ts'
import { money } from '../pages/words.ts'
import { paymentHits } from './finders.ts'
import { type Group, minPartLength } from './run-finders.ts'
import type { AmountFields } from './search-forms.ts'

/** A search for payments by the business, the amount in centimes and the UTC day. */
interface AmountSearch {
  business: string
  amount: number
  day: Date
}

/** Parses the form. Throws VALIDATION_ERROR if a field is invalid. */
export function readAmountFields(fields: AmountFields): AmountSearch {
  const business = readName('name', fields.business) ?? ''
  if (business.length < minPartLength)
    throw invalid('business', `at least ${minPartLength} characters of the name of a business, or its id`)
  const amount = readAmount(fields.amount)
  if (typeof amount !== 'number') throw invalid('amount', 'an amount such as 500 or 500.00')
  const day = fields.day.length === 'YYYY-MM-DD'.length ? readInstant(fields.day, 'start') : null
  if (day === null) throw invalid('day', 'a day such as 2026-01-31')
  return { business, amount, day }
}

const invalid = (param: keyof AmountFields, expected: string) =>
  refuse('VALIDATION_ERROR', { param, message: `${param} must be ${expected}. Go back and correct it.` })

/** Finds the payments of an amount on one day. If several businesses have the name, searches all of them. */
export async function findByAmount(deps: Deps, { business, amount, day }: AmountSearch): Promise<Group> {
  const businesses = await businessesFor(deps, business)
  const ids = businesses.map(({ _id }) => _id)
  const intents = ids.length === 0 ? [] : await searchByAmount(deps, ids, amount, day)
  return {
    kind: `amount ${money(amount)} on ${day.toISOString().slice(0, 10)} and the business`,
    shown: business,
    hits: paymentHits(intents),
  }
}

async function businessesFor(deps: Deps, text: string): Promise<Business[]> {
  const id = text.toLowerCase()
  const one = isId(id) ? await lookUpBusiness(deps, id) : null
  return one === null ? findBusinessesByName(deps, text) : [one]
}
