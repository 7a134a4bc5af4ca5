import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { balanceOf } from '../../ledger/balance.ts'
import { listEntries } from '../../ledger/list.ts'
import { time } from './layout.ts'
import { money, userText } from './words.ts'

/** The maximum number of payouts that the page shows in each environment. */
const shown = 5

/** Returns a business's balance and its latest payouts as HTML, in each environment. */
export async function balances(deps: Deps, businessId: string): Promise<string> {
  const rows: string[] = []
  for (const sandbox of [false, true]) {
    const owner = { businessId, sandbox }
    const amount = await balanceOf(deps, owner)
    const search = { type: 'payout', page: 1, limit: shown, from: null, to: null } as const
    const { items, total } = await listEntries(deps, owner, search)
    const payouts = items.map(
      ({ amount: paid, payoutReference, bookedAt }) =>
        html`<div>!${time(bookedAt)}: ${money(-paid)}, reference !${userText(payoutReference ?? '')}</div>`,
    )
    rows.push(html`<dt>${sandbox ? 'Sandbox balance' : 'Live balance'}</dt><dd>${money(amount)}</dd>
      <dt>${sandbox ? 'Sandbox payouts' : 'Live payouts'}</dt>
      <dd>!${total > shown ? html`<div>The latest ${shown} of ${total}:</div>` : ''}!${total === 0 ? 'none' : payouts}</dd>`)
  }
  return html`<h2>Balance</h2><dl class="facts card">!${rows}</dl>`
}
