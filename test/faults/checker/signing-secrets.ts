import { groupsOf } from './groups.ts'
import type { Request } from './requests.ts'
import { dataOf, endpointIn } from './responses.ts'

/** The signing secrets of an endpoint in responses. `isWhole`: no rotation has an unknown outcome. */
export type Secrets = { secrets: string[]; isWhole: boolean }

export function signingSecrets(requests: Request[]): Map<string, Secrets> {
  const making = requests
    .filter(({ what }) => what === 'endpoint.create' || what === 'endpoint.rotate')
    .map((request) => {
      const shown = request.calls.flatMap((call) => dataOf<{ id: string; secret?: string }>(call) ?? [])
      return { request, shown, id: shown[0]?.id ?? endpointIn(request) }
    })
  return new Map(
    [...groupsOf(making, ({ id }) => id)].map(([id, some]) => [
      id,
      {
        secrets: some.flatMap(({ shown }) => shown.flatMap(({ secret }) => secret ?? [])),
        isWhole: some.every(({ request, shown }) => !request.isAcrossDays && shown.length > 0),
      },
    ]),
  )
}
