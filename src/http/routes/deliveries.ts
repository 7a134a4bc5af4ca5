import type { ListDeliveriesQuery } from '../../../schemas/list-deliveries.ts'
import { withinAuditLines } from '../../quotas/audit-lines.ts'
import { findDeliveryWhole } from '../../webhooks/deliveries/find.ts'
import { listDeliveries, parseDeliverySearch } from '../../webhooks/deliveries/list.ts'
import { presentDeliveries, presentDelivery, presentDeliveryWhole } from '../../webhooks/deliveries/present.ts'
import { retryDelivery } from '../../webhooks/deliveries/retry.ts'
import { parseRetryFilter, retryMatching } from '../../webhooks/deliveries/retry-matching.ts'
import type { OperationInput, Route } from '../operations/route.ts'
import { aboutDeliveries } from './deliveries-openapi.ts'

/** The operations on webhook deliveries (SPEC 4.8). */
export const deliveryRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/dev/webhooks/events',
    about: aboutDeliveries.list,
    key: 'secret',
    shows: 'delivery',
    isPage: true,
    scope: 'webhooks.deliveries:read',
    run: async (deps, caller, { query }: OperationInput<ListDeliveriesQuery>) => {
      const { items, ...page } = await listDeliveries(deps, caller, parseDeliverySearch(query))
      return { items: await presentDeliveries(deps, caller, items), ...page }
    },
  },
  {
    method: 'get',
    path: '/dev/webhooks/events/:id',
    about: aboutDeliveries.get,
    key: 'secret',
    shows: 'wholeDelivery',
    scope: 'webhooks.deliveries:read',
    run: async (deps, caller, { params }) =>
      presentDeliveryWhole(deps, caller, await findDeliveryWhole(deps, caller, params.id ?? '')),
  },
  {
    method: 'post',
    claims: true,
    path: '/dev/webhooks/events/retry',
    about: aboutDeliveries.retryMatching,
    scope: 'webhooks.deliveries:write',
    status: 200,
    run: (deps, caller, { body }, effect) => retryMatching(deps, caller, parseRetryFilter(deps, body), effect),
  },
  {
    method: 'post',
    claims: true,
    path: '/dev/webhooks/events/:id/retry',
    about: aboutDeliveries.retry,
    scope: 'webhooks.deliveries:write',
    status: 200,
    run: async (deps, caller, { params: { id = '' } }, effect) => {
      const retry = () => retryDelivery(deps, caller, id, effect)
      const earlier = await deps.Delivery.exists({ _id: id, effects: effect.id })
      const { delivery, retried, reason } = await withinAuditLines(deps, caller, earlier, retry)
      return { ...presentDelivery(delivery), retried, reason }
    },
  },
]
