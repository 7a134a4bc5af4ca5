import { tillDayQuery } from '../../../schemas/intents.ts'
import type { SchemaValue } from '../../../schemas/requests.ts'
import { presentIntent } from '../../intents/present.ts'
import { listTillDay } from '../../intents/till-day.ts'
import { parseStatementDay } from '../../ledger/statement.ts'
import { parsePageRequest, presentPage } from '../../lists/pagination.ts'
import { toUtcDay } from '../../platform/time.ts'
import type { PageRead } from '../operations/run-route.ts'

/** For `readFor`. The API has no such operation, because it has no people. */
export const tillDayRead: PageRead = {
  scope: 'payments.intents:read',
  query: tillDayQuery,
  isPage: true,
  shows: 'intent',
  async run(deps, caller, { query }) {
    const { day, of = 'paid', ...page } = query as SchemaValue<typeof tillDayQuery>
    const now = deps.now()
    const wanted = parseStatementDay(deps, day ?? toUtcDay(now))
    const { sums, ...found } = await listTillDay(deps, caller, { day: wanted, of, ...parsePageRequest(page) })
    const shown = presentPage(found, (intent) => ({
      ...presentIntent(deps.config, intent, now),
      personId: intent.till?.personId,
    }))
    return { ...shown, day: wanted, sums }
  },
}
