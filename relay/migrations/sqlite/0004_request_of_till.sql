CREATE INDEX till_request_of_till ON till_request (till);
