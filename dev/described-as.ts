/** A configuration for the description of the API without a running service. */
export const describedAs = {
  publicUrl: 'https://api.payments.example',
  maxAmount: 1_000_000_000,
  webhookHeaderBrand: 'Service',
  webhookTimeoutMs: 30_000,
  endpointWarningMs: 86_400_000,
}
