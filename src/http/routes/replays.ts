import type { PageQuery } from '../../../schemas/queries.ts'
import { presentPage, readSlice } from '../../input/pagination.ts'
import { cancelOwnReplay } from '../../webhooks/replays/cancel.ts'
import { findReplay, listReplays } from '../../webhooks/replays/find.ts'
import { presentReplay } from '../../webhooks/replays/present.ts'
import { parseReplay, requestReplay } from '../../webhooks/replays/request.ts'
import type { OperationInput, Route } from '../operations/route.ts'
import { aboutReplays } from './replays-openapi.ts'

/** The operations that replay events to an endpoint. */
export const replayRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/dev/webhooks/endpoints/:id/replay',
    about: aboutReplays.create,
    scope: 'webhooks.deliveries:write',
    status: 201,
    hasDryRun: true,
    run: async (deps, caller, { params: { id = '' }, body }, request) =>
      requestReplay(deps, caller, id, parseReplay(deps, body), request),
  },
  {
    method: 'get',
    path: '/dev/webhooks/endpoints/:id/replays',
    about: aboutReplays.list,
    shows: 'replay',
    isPage: true,
    scope: 'webhooks.deliveries:read',
    run: async (deps, caller, { params: { id = '' }, query }: OperationInput<PageQuery>) =>
      presentPage(await listReplays(deps, caller, id, readSlice(query)), presentReplay),
  },
  {
    method: 'get',
    path: '/dev/webhooks/endpoints/:id/replays/:replayId',
    about: aboutReplays.get,
    shows: 'replay',
    scope: 'webhooks.deliveries:read',
    run: async (deps, caller, { params: { id = '', replayId = '' } }) =>
      presentReplay(await findReplay(deps, caller, id, replayId)),
  },
  {
    method: 'post',
    path: '/dev/webhooks/endpoints/:id/replays/:replayId/cancel',
    about: aboutReplays.cancel,
    scope: 'webhooks.deliveries:write',
    run: (deps, caller, { params: { id = '', replayId = '' } }, request) =>
      cancelOwnReplay(deps, caller, id, replayId, request),
  },
]
