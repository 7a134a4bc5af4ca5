export const endpointId = '6b0149aca90c38bde3c47f5e'

export const request = {
  url: 'https://shop.example/hooks',
  events: ['payment.created', 'payment.confirmed'],
}

export const endpoint = {
  id: endpointId,
  url: 'https://shop.example/hooks',
  events: ['payment.created', 'payment.confirmed'],
  active: true,
  sandbox: true,
  createdAt: '2026-11-21T07:35:08.012Z',
  health: { lastSuccessAt: null, lastFailureAt: null, failuresInRow: 0, lastError: null },
}

export const listed = {
  ...endpoint,
  last24Hours: { attempts: 0, succeeded: 0, successRate: null, lastError: null },
}

export const created = {
  ...endpoint,
  secret: '84432cccd985fa567be32c6c93fa77de6c367a92a95fc52bcd275bc97f7745c3',
  standardSecret: 'whsec_hEMszNmF+lZ74yxsk/p33mw2epKpX8UrzSdbyX93RcM=',
}

export const change = { url: 'https://shop.example/hooks/v2', active: true }
export const changed = { ...endpoint, url: 'https://shop.example/hooks/v2' }

export const rotated = {
  ...endpoint,
  secret: '0d5ac1ef37ac9b1a2a0bf9f5b1c1b2de0cf1ab1b9f3f5a86a1ad6a4ec3c3cf5d',
  standardSecret: 'whsec_DVrB7zesmxoqC/n1scGy3gzxqxufP1qGoa1qTsPDz10=',
}

export const tested = {
  deliveryId: 'awFJrKkMOL3jxH9wawFJrKkMOL3jxH9e',
  event: 'payment.confirmed',
  delivered: false,
  responseStatus: 500,
  durationMs: 42,
  error: 'status',
}
