<?php // hooks.php
require 'payment-intents-mru-1.1.0.php';
require 'inbox.php';

http_response_code(500); // unless the event is stored
$body = file_get_contents('php://input');
try {
    $event = PaymentIntentsMru\verifyWebhook($body, getallheaders(), getenv('WEBHOOK_SECRET'));
    if (store($event['eventId'], $body)) {
        file_put_contents('php://stdout', "$body\n");
    }
    http_response_code(200);
} catch (PaymentIntentsMru\WebhookVerificationError $error) {
    error_log($error->getMessage());
    http_response_code(401);
}
