<?php
// Prints what each fault of the server leads to, and refuses keys and ids that are wrong.
error_reporting(E_ALL);
set_error_handler(fn ($code, $text) => throw new ErrorException($text));
require 'payment-intents-mru.php';
use PaymentIntentsMru\{Payments, PaymentsError, WebhookVerificationError};
use function PaymentIntentsMru\{signWebhook, verifyWebhook};
function run(string $name) {
    $once = str_starts_with($name, 'slow') ? ['timeout' => 0.5, 'maxRetries' => 0] : [];
    $payments = new Payments('sk_test_x', getenv('BASE') . "/$name/api/v1/", ...$once);
    if (str_contains($name, 'file') || str_contains($name, 'chunks')) {
        return stream_get_contents($payments->exportPayments(['from' => '2026-01-01'], maxRetries: 0));
    }
    return $payments->createIntent(['amount' => 500, 'metadata' => []])['referenceNumber'];
}
foreach (explode(' ', trim(stream_get_contents(STDIN))) as $name) {
    try {
        echo run($name), "\n";
    } catch (PaymentsError $error) {
        echo "$error->errorCode ", $error->statusCode ?? 'None', ' ', $error->retryAfter ?? 'None', "\n";
        if (str_starts_with($name, 'redirect') && !str_contains($error->getMessage(), getenv('ELSEWHERE'))) {
            throw $error;
        }
        if ($name === 'mismatch' && $error->response['data']['referenceNumber'] !== 'PI-1') {
            throw $error;
        }
    }
}
$quiet = new Payments('sk_test_x', getenv('BASE'));
foreach ([print_r($quiet, true), print_r((array) $quiet, true), var_export($quiet, true)] as $shown) {
    echo str_contains($shown, 'sk_test_x') ? 'shown' : '';
}
foreach ([["sk_test_secret\n", 'https://a.example'], ['sk_test_secret', 'a.example'], ['', 'https://a.example']] as [$key, $url]) {
    try {
        new Payments($key, $url);
        echo "accepted $key $url";
    } catch (InvalidArgumentException $error) {
        echo str_contains($error->getMessage(), 'secret') ? 'shown' : '';
    }
}
foreach ([fn () => $quiet->getIntent('..'), fn () => $quiet->cancelIntent('PI-1', idempotencyKey: "a\r\nb"), fn () => $quiet->listAll('getBalance')->current()] as $call) {
    try {
        echo json_encode($call());
    } catch (InvalidArgumentException) {
    }
}
$body = '{"id": "6b0149aca90c38bde3c47f62"}';
foreach ([null, ['ab', null], 'whsec_abc'] as $secret) {
    try {
        echo json_encode(verifyWebhook($body, signWebhook($body, 'ab'), $secret));
    } catch (TypeError | InvalidArgumentException $error) {
        echo is_array($secret) && !str_contains($error->getMessage(), 'secret must') ? $error : '';
    } catch (WebhookVerificationError $error) {
        echo preg_match('/^SIGNATURE_MISMATCH: .*whsec_/', $error->getMessage()) ? '' : $error;
    }
}
