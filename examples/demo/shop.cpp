// SPDX-License-Identifier: Apache-2.0
//
// shop.cpp - a shop server with five planted memory problems
//
// `make demo` records it: two threads answer 4,000 requests each, in about two
// seconds. The findings of tally report name the five lines marked below.
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace shop
{

struct Session {
    std::string user;
    std::string basket;
};

class Sessions
{
  public:
    Session *open(const std::string &user)
    {
        // The user's old session is replaced, but never deleted.
        auto *session = new Session;

        session->user = user;
        session->basket.assign(2000, 'b'); // leak
        by_user[user] = session;
        return session;
    }

    void close_all()
    {
        for (auto &entry : by_user)
            delete entry.second;
        by_user.clear();
    }

  private:
    std::map<std::string, Session *> by_user;
};

class PageCache
{
  public:
    const std::string &page(int product)
    {
        auto found = pages.find(product);

        if (found == pages.end())
            found = pages.emplace(product, render(product)).first;
        return *found->second;
    }

  private:
    std::shared_ptr<std::string> render(int product)
    {
        // Nothing evicts a page.
        auto page = std::make_shared<std::string>();
        page->assign(8000, static_cast<char>('a' + product % 26)); // growth
        return page;
    }

    std::unordered_map<int, std::shared_ptr<std::string>> pages;
};

class AccessLog
{
  public:
    void write(const Session &session, int product)
    {
        for (int field = 0; field < 20; field++) {
            std::string line = "product " + std::to_string(product);

            line.append(session.user).append(" viewed"); // churn
            bytes += line.size();
        }
    }

  private:
    std::size_t bytes = 0;
};

class SalesReport
{
  public:
    std::size_t build()
    {
        // Each row is needed once, but all are held together.
        std::vector<std::string> rows(120000, std::string(1000, 'r')); // spike

        return rows.size();
    }
};

class Upload
{
  public:
    Upload() : buffer(new char[8 << 20]) // untouched
    {
        // The buffer has 8 MiB; uploads use a few bytes of it.
        std::snprintf(buffer.get(), 16, "empty");
    }

  private:
    std::unique_ptr<char[]> buffer;
};

class Worker
{
  public:
    void run(int id)
    {
        for (int request = 0; request < 4000; request++) {
            int product = id * 2000 + request / 2;
            Session *session =
                sessions.open("user" + std::to_string(request % 100));

            cache.page(product);
            log.write(*session, product);
            if (id == 0 && request == 2000)
                SalesReport().build();
            std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
        sessions.close_all();
    }

  private:
    Sessions sessions;
    PageCache cache;
    AccessLog log;
    Upload upload;
};

} // namespace shop

int main()
{
    shop::Worker workers[2];
    std::thread second(&shop::Worker::run, &workers[1], 1);

    workers[0].run(0);
    second.join();
}
