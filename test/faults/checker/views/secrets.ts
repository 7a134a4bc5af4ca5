import type { Call } from '../../evidence/evidence.ts'
import { dataOf } from './answers.ts'
import { groupsOf } from './groups.ts'
import type { Request } from './requests.ts'
import { endpointIn } from './subscriptions.ts'

/** A secret of an endpoint, as it was answered. On the machine's clock it may have signed from `from` on, and surely did from `to` on. */
export interface Signing {
  secret: string
  from: number
  to: number
}

/** The secrets of an endpoint, oldest first; `isWhole`: no rotation is there that may have made one which nobody was told. */
export interface Signings {
  secrets: Signing[]
  isWhole: boolean
}

/** The secrets that merchants were told, by endpoint. */
export function signingsOf(requests: Request[]): Map<string, Signings> {
  const making = requests.filter(({ what }) => what === 'endpoint.create' || what === 'endpoint.rotate')
  const known = making.map((request) => ({ request, told: toldBy(request.tries) }))
  const byEndpoint = groupsOf(known, ({ request, told }) => told[0]?.id ?? endpointIn(request) ?? '')
  return new Map(
    [...byEndpoint].map(([id, some]) => [
      id,
      {
        secrets: some.flatMap(({ told }) => told).toSorted((one, other) => one.from - other.from),
        isWhole: some.every(({ request, told }) => isKnown(request, told.length > 0)),
      },
    ]),
  )
}

/** A key that lived past its day may have made another one. */
const isKnown = ({ isAcrossDays, tries }: Request, isTold: boolean): boolean =>
  !isAcrossDays && (isTold || tries.every(isRefused))

const isRefused = ({ status }: Call): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 409

function toldBy(tries: Call[]): (Signing & { id: string })[] {
  const good = tries.flatMap((call) => {
    const data = dataOf<{ id: string; secret?: string }>(call)
    return data?.secret === undefined ? [] : [{ id: data.id, secret: data.secret, ended: call.ended }]
  })
  const from = Math.min(...tries.map(({ began }) => began))
  return [...groupsOf(good, ({ secret }) => secret).values()].flatMap(([first]) =>
    first === undefined ? [] : [{ id: first.id, secret: first.secret, from, to: first.ended }],
  )
}
