import { endpointId } from './endpoints-example.ts'

export const request = { from: '2026-10-31T06:00:00Z', to: '2026-10-31T07:00:00Z', onlyUndelivered: true }

export const replay = {
  id: '6b014b3fa90c38bde3c47f91',
  endpointId,
  status: 'RUNNING',
  cancellationReason: null,
  from: '2026-10-31T06:00:00.000Z',
  to: '2026-10-31T07:00:00.000Z',
  events: ['payment.created', 'payment.confirmed'],
  onlyUndelivered: true,
  dryRun: false,
  total: 0,
  requeued: 0,
  created: 0,
  skipped: 0,
  sandbox: true,
  createdAt: '2026-11-01T07:40:11.702Z',
  finishedAt: null,
}

export const cancelled = {
  ...replay,
  status: 'CANCELLED',
  cancellationReason: 'requested',
  finishedAt: '2026-11-01T07:40:12.318Z',
}
