import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { type RatesFrom, ratesAt } from '../../businesses/commission-rates.ts'
import type { Deps } from '../../deps.ts'
import { time } from './layout.ts'

/** Returns a business's commission rates as HTML: the current rates, then those that were set for it, newest first. */
export function commissionFacts({ config, now }: Pick<Deps, 'config' | 'now'>, { commission }: Business): string {
  const at = now()
  const current = ratesAt(commission, config.commissionRates, at)
  const isDefault = !commission.some(({ from }) => from <= at)
  const history = commission
    .toReversed()
    .map(
      ({ from, ...rates }) => html`<div>from !${time(from)}: ${inWords(rates)}${from > at ? ' (scheduled)' : ''}</div>`,
    )
  return html`<dt>Commission</dt><dd>${inWords(current)}${isDefault ? ' (default)' : ' (set for this business)'}</dd>
    !${history.length === 0 ? '' : html`<dt>Commission history</dt><dd>!${history}</dd>`}`
}

const inWords = ({ provider, payer }: Pick<RatesFrom, 'provider' | 'payer'>): string =>
  `merchant ${percent(provider)}, customer ${percent(payer)}`

/** Formats basis points as a percentage, such as `1.5 %`. */
const percent = (basisPoints: number): string => `${basisPoints / 100} %`
